/** A lot that comes to another format, whichever way, keeps nothing that the format has no use for. */
import { expect } from 'chai';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { CLOCK, FallingSales } from '../../support/falling-sales.ts';
import { HOUR_MS } from '../../support/format-sales.ts';
import { projectAuction } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const PRICES = { starting_bid: '10.00', reserve_price: '50.00', buy_now_price: '90.00' };
const NO_CLOCK = { start_price: null, step: null, step_seconds: null, floor_price: null };

describe('a lot that comes to another format', () => {
  let service: Service;
  let sales: FallingSales;

  before(async () => {
    service = await startService();
    sales = await FallingSales.of(service);
  });

  after(() => service.close());

  async function auction(settings: object = {}): Promise<number> {
    const made = await sales.sell('POST', 'auctions', {
      title: 'A sale',
      start_time: new Date(Date.now() - 12 * HOUR_MS).toISOString(),
      end_time: new Date(Date.now() + 9 * HOUR_MS).toISOString(),
      ...settings,
    });
    expect(made.status, made.text).to.equal(201);
    return made.body.data.id;
  }
  const lot = async (auctionId: number, fields: object): Promise<number> =>
    (await sales.sell('POST', 'lots', { auction_id: auctionId, title: 'A lot', ...fields })).body.data.id;
  const read = async (id: number) => (await sales.sell('GET', `lots/${id}`)).body.data;

  it('by its auction', async () => {
    const timed = await auction();
    const priced = await lot(timed, PRICES);
    expect((await sales.sell('PATCH', `auctions/${timed}`, { format: 'falling' })).status).to.equal(200);
    expect(await read(priced)).to.include({ format: 'falling', reserve_price: null, buy_now_price: null });
    const falling = await auction({ format: 'falling' });
    const clocked = await lot(falling, CLOCK);
    expect((await sales.sell('PATCH', `auctions/${falling}`, { format: 'timed' })).status).to.equal(200);
    expect(await read(clocked)).to.include({ format: 'timed', ...NO_CLOCK, starting_bid: '300.00' });
  });

  it('by being moved', async () => {
    const [timed, falling] = [await auction(), await auction({ format: 'falling' })];
    const [priced, clocked] = [await lot(timed, PRICES), await lot(falling, CLOCK)];
    const there = await sales.sell('PATCH', `lots/${priced}`, { auction_id: falling, ...CLOCK });
    expect(there.status, there.text).to.equal(200);
    expect(await read(priced)).to.include({ reserve_price: null, buy_now_price: null, ...CLOCK });
    const back = await sales.sell('PATCH', `lots/${clocked}`, { auction_id: timed, reserve_price: '400.00' });
    expect(back.status, back.text).to.equal(200);
    expect(await read(clocked)).to.include({ ...NO_CLOCK, starting_bid: '300.00', reserve_price: '400.00' });
  });

  it('by being listed again, with its group where that can be joined', async () => {
    const { id, lots } = await sales.auctionOf([{}], 10 * HOUR_MS);
    await service.backends.engine.submit(lots[0]!, { type: 'advance' });
    await projectAuction(service.database, service.backends.redis, id);
    const relist = async (lotId: number, auctionId: number) =>
      (await sales.sell('POST', `lots/${lotId}/relist`, { auction_id: auctionId })).body.data;
    const timed = await auction();
    expect(await relist(lots[0]!, timed)).to.include({ format: 'timed', ...NO_CLOCK });
    const before = await auction();
    const grouped = await lot(before, { starting_bid: '10.00', close_group: 'Herd' });
    await sales.sell('PATCH', `auctions/${before}`, { status: 'scheduled' });
    await publishAuction(service.backends, before);
    expect((await sales.sell('PATCH', `lots/${grouped}`, { status: 'withdrawn' })).status).to.equal(200);
    await projectAuction(service.database, service.backends.redis, before);
    const started = await auction();
    await lot(started, { starting_bid: '10.00', close_group: 'Herd' });
    await sales.sell('PATCH', `auctions/${started}`, { status: 'scheduled' });
    await publishAuction(service.backends, started);
    const alone = await relist(grouped, started);
    expect(alone).to.include({ close_group: null });
    expect((await sales.sell('DELETE', `lots/${alone.id}`)).status).to.equal(204);
    expect(await relist(grouped, timed)).to.include({ close_group: 'Herd' });
  });

  it('and no amount of it is one that its currency does not have', async () => {
    const falling = await auction({ format: 'falling' });
    await lot(falling, { ...CLOCK, step: '10.50' });
    const refused = await sales.sell('PATCH', `auctions/${falling}`, { currency: 'jpy' });
    expect([refused.status, Object.keys(refused.body.errors ?? {})]).to.deep.equal([422, ['currency']]);
    const timed = await auction();
    await lot(timed, { starting_bid: '10.00', estimate_low: '10.50' });
    expect((await sales.sell('PATCH', `auctions/${timed}`, { currency: 'jpy' })).status).to.equal(422);
    expect((await sales.sell('PATCH', `auctions/${timed}`, { currency: 'kwd' })).status).to.equal(200);
  });
});
