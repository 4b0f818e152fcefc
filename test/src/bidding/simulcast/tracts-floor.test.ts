/** Bids on sets of tracts, and the end of their sale, from a platform's floor: one event at a time, and in batches. */
import { expect } from 'chai';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { addPlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import type { Sale } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type Answer, type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('the floor on tracts', () => {
  let service: Service;
  let sales: ParcelsSales;
  let secret: string;
  let counter = 0;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
    secret = (await addPlatform(service.backends.knex, service.config.appSecrets, 'hall')).secret;
  });
  after(() => service.close());

  const aRoom = (settings: object = {}) =>
    sales.open([{}, {}, {}], { type: 'simulcast', simulcast_platforms: ['hall'], ...settings });

  async function send(kind: 'bid' | 'sold', body: unknown): Promise<Answer> {
    const timestamp = Math.floor(Date.now() / 1_000);
    const text = JSON.stringify(body);
    const response = await fetch(`${service.url}/webhooks/${kind}/hall`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': String(timestamp),
        'x-signature': signSimulcast(secret, timestamp, text),
      },
      body: text,
    });
    const answer = await response.text();
    return {
      ...{ status: response.status, headers: response.headers, text: answer },
      body: JSON.parse(answer) as JsonValue,
    };
  }

  const named = (more: object) => {
    counter += 1;
    return { event_id: `t-${counter}`, sequence: counter, ...more };
  };
  const call = (lot_ids: readonly (number | undefined)[], amount: string, more: object = {}) =>
    named({ lot_ids, amount, bidder: { paddle: '88' }, ...more });
  const sold = (lot_id: number | undefined, more: object = {}) => named({ lot_id, result: 'sold', ...more });
  const dataOf = async (kind: 'bid' | 'sold', body: unknown) => (await send(kind, body)).body.data;
  const statuses = ({ lots }: Sale) => Promise.all(lots.map(async (lot) => (await sales.lot(lot)).status));

  it('takes bids on sets, and says with what others would lead', async () => {
    const sale = await aRoom();
    const [one, two, three] = sale.lots;
    const first = call([two, one], '250.00');
    expect(await dataOf('bid', first)).to.include({ event_id: first.event_id, status: 'applied' });
    expect(await dataOf('bid', first)).to.include({ status: 'duplicate' });
    // The same id for another lot of the sale is the same event.
    expect(await dataOf('bid', { ...first, lot_ids: [three] })).to.include({ status: 'duplicate' });
    expect(await dataOf('bid', { ...call([three], '100.00'), sequence: 0 })).to.include({
      ...{ status: 'stale', last_sequence: first.sequence },
    });
    const low = await dataOf('bid', call([one, two], '255.00'));
    expect(low).to.include({ status: 'rejected', code: 'bid_too_low', price_to_lead: '260.00' });
    const beaten = call([two, three], '200.00');
    const refused = await dataOf('bid', beaten);
    expect(refused).to.deep.equal({
      ...{ event_id: beaten.event_id, status: 'rejected', code: 'bid_not_leading', price_to_lead: '250.01' },
    });
    const standing = await dataOf('bid', call([two, three], '200.00', { standing: true }));
    expect(standing).to.include({ status: 'applied' });
    const alone = named({ lot_id: three, amount: '120.00', bidder: { paddle: '7' }, channel: 'phone' });
    expect(await dataOf('bid', alone)).to.include({ status: 'applied' });
    const board = await sales.parcels(sale);
    expect(board.total).to.equal('370.00');
    expect(board.leading.map((bid: JsonValue) => [bid.lot_ids, bid.paddle_number])).to.deep.equal([
      [[one, two], '88'],
      [[three], '7'],
    ]);
    const rows = (await service.get(`/api/v1/lots/${three}/bids`)).body.data;
    expect(rows.map((row: JsonValue) => row.channel)).to.deep.equal(['phone', 'floor']);
  });

  it('refuses what is no set of the sale, or not yet one, in a batch item by item', async () => {
    const sale = await aRoom({ combinations_from: new Date(Date.now() + 600_000).toISOString() });
    const other = await aRoom();
    const [one, two] = sale.lots;
    const answers = await dataOf('bid', [
      call([one], '100.00'),
      call([one, two], '300.00'),
      call([one, other.lots[0]], '300.00'),
      call([one], '200.00', { lot_id: two }),
      call([two], '100.00', { channel: 'absentee' }),
      call([two, two], '100.00'),
      call([two], '100.00'),
    ]);
    expect(
      answers.map(({ status, code, errors }: JsonValue) =>
        [status, code, Object.keys(errors ?? {})].join(' '),
      ),
    ).to.deep.equal([
      'applied  ',
      'rejected combinations_not_open ',
      'rejected validation_failed lot_ids',
      'rejected validation_failed lot_ids',
      'rejected validation_failed channel',
      'rejected validation_failed lot_ids',
      'applied  ',
    ]);
    const wrong = await send('bid', call([one, other.lots[0]], '300.00'));
    expect([wrong.status, wrong.body.code]).to.deep.equal([422, 'validation_failed']);
  });

  it('ends the sale of all tracts at once, at what the sets come to', async () => {
    const sale = await aRoom({ whole_reserve: '1000.00' });
    const [one, two, three] = sale.lots;
    const nothing = await send('sold', sold(two));
    expect(nothing.body.data).to.include({ status: 'rejected', code: 'lot_without_bids' });
    await send('bid', [call([one, two], '300.00'), call([three], '100.00')]);
    const other = await send('sold', sold(two, { hammer_price: '399.00', bidder: { paddle: '88' } }));
    expect([other.status, other.body.errors]).to.deep.equal([
      422,
      { hammer_price: ['The sets that lead come to 400.00 together.'] },
    ]);
    expect(await statuses(sale)).to.deep.equal(['active', 'active', 'active']);
    const done = sold(two, { hammer_price: '400.00' });
    expect(await dataOf('sold', done)).to.deep.include({ status: 'applied', flags: ['reserve_not_met'] });
    expect(await statuses(sale)).to.deep.equal(['sold', 'sold', 'sold']);
    expect((await sales.lot(two)).set).to.deep.include({ lot_ids: [one, two], amount: '300.00' });
    expect((await sales.lot(three)).hammer_price).to.equal('100.00');
    expect(await dataOf('sold', { ...done, event_id: 'again' })).to.include({ status: 'duplicate' });
    const passed = await send('sold', named({ lot_id: one, result: 'passed' }));
    expect([passed.status, passed.body.code]).to.deep.equal([409, 'lot_already_sold']);
    expect(await dataOf('bid', call([one], '900.00'))).to.include({ code: 'lot_closed' });
    await projectAuction(service.database, service.backends.redis, sale.id);
    expect(await verifyJournal(service.backends, null)).to.deep.include({ ok: true });
  });

  it('passes the whole sale', async () => {
    const sale = await aRoom();
    const [one, , three] = sale.lots;
    await send('bid', call([one], '100.00'));
    expect(await dataOf('sold', named({ lot_id: three, result: 'passed' }))).to.include({
      status: 'applied',
    });
    expect(await statuses(sale)).to.deep.equal(['passed', 'unsold', 'unsold']);
  });
});
