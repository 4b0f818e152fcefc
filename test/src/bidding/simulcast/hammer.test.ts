/**
 * What the floor sells is shown alike everywhere: lot, list, bids, one's own bids, journal, events and invoice, before
 * and after projection.
 */
import { expect } from 'chai';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { addPlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectAuction } from '../../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('the floor’s word', () => {
  let service: Service;
  let secret: string;
  let ann: User;
  let token: string;
  let count = 0;

  before(async () => {
    service = await startService();
    secret = (await addPlatform(service.backends.knex, service.config.appSecrets, 'hall')).secret;
    ann = await aUser(service.database);
    token = await service.tokenFor(ann, ['read', 'write']);
  });

  after(() => service.close());

  async function simulcast(lots = 1) {
    const auction = await anAuction(service.database, {
      type: 'simulcast',
      simulcast_platforms: ['hall'],
      buyer_premium_bps: 1_000,
    });
    const made = [];
    for (let at = 0; at < lots; at += 1) made.push(await aLot(service.database, { auction_id: auction.id }));
    await service.publish();
    return { auction, lots: made, lot: made[0]! };
  }

  async function says(lotId: number, fields: object): Promise<{ status: number; body: JsonValue }> {
    count += 1;
    const body = JSON.stringify({ event_id: `h-${count}`, sequence: count, lot_id: lotId, ...fields });
    const timestamp = Math.floor(Date.now() / 1_000);
    const response = await fetch(`${service.url}/webhooks/sold/hall`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': String(timestamp),
        'x-signature': signSimulcast(secret, timestamp, body),
      },
      body,
    });
    return { status: response.status, body: await response.json() };
  }

  const bid = (lotId: number, body: object) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body });
  const read = async (path: string) => (await service.get(`/api/v1/${path}`, token)).body.data;
  const sold = { result: 'sold', hammer_price: '700.00', bidder: { paddle: '88', external_id: 'b-9' } };

  async function expectSold(lotId: number, price: string, rows: (string | number)[][]): Promise<void> {
    const detail = await read(`lots/${lotId}`);
    expect([detail.status, detail.current_bid, detail.hammer_price, detail.bid_count]).to.deep.equal([
      'sold',
      price,
      price,
      rows.length,
    ]);
    const bids = await read(`lots/${lotId}/bids`);
    expect(bids.map((row: JsonValue) => [row.amount, row.channel, row.outcome, row.status])).to.deep.equal(
      rows,
    );
    const entries = await read(`lots/${lotId}/journal`);
    expect(entries.at(-1).events.at(-1)).to.include({ type: 'lot_closed', hammer_price: price });
  }

  it('adds the row of a sale to somebody who does not lead, and shows the same before and after projection', async () => {
    const { auction, lot } = await simulcast(2);
    expect((await bid(lot.id, { amount: '500.00' })).status).to.equal(201);
    const answer = await says(lot.id, sold);
    expect(answer.body.data, JSON.stringify(answer.body)).to.include({ status: 'applied' });
    const rows = [
      ['700.00', 'floor', 'won', 'won'],
      ['500.00', 'online', 'leading', 'outbid'],
    ];
    await expectSold(lot.id, '700.00', rows);
    await projectAuction(service.database, service.backends.redis, auction.id);
    await expectSold(lot.id, '700.00', rows);
    const list = await read(`lots?auction_id=${auction.id}&status=sold`);
    expect(list.data.map((one: JsonValue) => [one.current_bid, one.hammer_price])).to.deep.equal([
      ['700.00', '700.00'],
    ]);
    const mine = await read('me/bids?status=lost');
    expect(mine.map((row: JsonValue) => row.lot?.id ?? row.lot_id)).to.include(lot.id);
    const event = await service.backends.knex('events').where({ type: 'lot.sold', lot_id: lot.id }).first();
    expect(event.data).to.include({ hammer_price: '700.00', total: '770.00' });
  });

  it('shows a hammer price below the current bid as it is', async () => {
    const { lot } = await simulcast(2);
    await bid(lot.id, { amount: '500.00' });
    const low = await says(lot.id, { ...sold, hammer_price: '450.00' });
    expect(low.body.data.flags).to.include('hammer_below_current');
    await expectSold(lot.id, '450.00', [
      ['450.00', 'floor', 'won', 'won'],
      ['500.00', 'online', 'leading', 'outbid'],
    ]);
  });

  it('sells a lot that had passed while the auction runs, and not once it is over', async () => {
    const { auction, lots } = await simulcast(2);
    const [first, last] = lots;
    expect((await says(first!.id, { result: 'passed' })).body.data.status).to.equal('applied');
    await projectAuction(service.database, service.backends.redis, auction.id);
    expect((await says(first!.id, sold)).body.data.status).to.equal('applied');
    await expectSold(first!.id, '700.00', [['700.00', 'floor', 'won', 'won']]);
    await projectAuction(service.database, service.backends.redis, auction.id);
    await expectSold(first!.id, '700.00', [['700.00', 'floor', 'won', 'won']]);
    const facts = await service.backends
      .knex('events')
      .where('lot_id', first!.id)
      .orderBy('id')
      .pluck('type');
    expect(facts).to.deep.equal(['lot.passed', 'lot.bid_placed', 'lot.sold']);
    expect((await says(last!.id, { result: 'unsold' })).body.data.status).to.equal('applied');
    await projectAuction(service.database, service.backends.redis, auction.id);
    const late = await says(last!.id, sold);
    expect([late.status, late.body.code]).to.deep.equal([409, 'invalid_transition']);
  });

  it('ends the journal of a purchase as it ends every other', async () => {
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id, buy_now_price_cents: 90_000 });
    await service.publish();
    const bought = await service.call('POST', `/api/v1/lots/${lot.id}/buy-now`, { token, body: {} });
    expect(bought.status, bought.text).to.equal(201);
    await expectSold(lot.id, '900.00', [['900.00', 'online', 'won', 'won']]);
    await projectAuction(service.database, service.backends.redis, auction.id);
    await expectSold(lot.id, '900.00', [['900.00', 'online', 'won', 'won']]);
    const invoices = await service.backends.knex('invoices').where('lot_id', lot.id);
    expect(invoices.map((one) => one.amount_due_cents)).to.deep.equal([90_000]);
  });
});
