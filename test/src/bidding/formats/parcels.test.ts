/** Tracts that are sold in any combination, over HTTP: set up, bid on, closed, billed and verified. */
import { expect } from 'chai';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { staffOf } from '../../../support/billing.ts';
import type { Sale } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type Service, startService } from '../../../support/service.ts';

type Row = Record<string, unknown>;

describe('tracts that are sold in any combination', () => {
  let service: Service;
  let sales: ParcelsSales;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
  });

  after(() => service.close());

  const project = ({ id }: Sale) => projectAuction(service.database, service.backends.redis, id);
  const invoicesOf = async (token: string): Promise<Row[]> =>
    (await service.get('/api/v1/invoices', token)).body.data;

  it('go to the bids that come to the most together, each lot with its share and its invoice', async () => {
    const sale = await sales.open([{ units: '10' }, { units: '20' }, { units: '30' }]);
    const [one, two, three] = sale.lots;
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    const first = await sales.bid(ann, [two], '150.00');
    expect(first.status, first.text).to.equal(201);
    expect(first.body.data).to.include({ lot_id: two, outcome: 'leading', amount: '150.00' });
    expect(first.body.data.leading).to.deep.equal([
      {
        bid_id: first.body.data.id,
        lot_ids: [two],
        amount: '150.00',
        paddle_number: first.body.data.paddle_number,
        sequence: 3,
      },
    ]);
    expect((await sales.bid(ann, [one], '100.00')).status).to.equal(201);
    const low = await sales.bid(bob, [one, two, three], '299.99');
    expect([low.status, low.body.code]).to.deep.equal([422, 'bid_too_low']);
    expect(low.body.data.minimum_next_bid).to.equal('300.00');
    expect(low.body.message).to.include('300.00');
    const whole = await sales.bid(bob, [three, two, one], '400.00');
    expect(whole.status, whole.text).to.equal(201);
    expect(whole.body.data).to.deep.include({ outcome: 'leading', lot_id: three, lot_ids: sale.lots });
    const not = await sales.bid(ann, [three], '140.00');
    expect([not.status, not.body.code]).to.deep.equal([422, 'bid_not_leading']);
    expect(not.body.data).to.include({ price_to_lead: '150.00' });
    const stands = await sales.bid(ann, [three], '140.00', { standing: true });
    expect(stands.status, stands.text).to.equal(201);
    expect(stands.body.data).to.include({ outcome: 'standing' });
    const board = await sales.parcels(sale);
    expect(board).to.include({ total: '400.00', reserve_met: true });
    expect([board.leading.length, board.standing.length]).to.deep.equal([1, 3]);
    const quote = await sales.parcels(sale, [three]);
    expect(quote).to.deep.include({
      lot_ids: [three],
      units: '30.0000',
      best_bid: '140.00',
      displaces: [whole.body.data.paddle_number],
    });
    const shown = await sales.lot(two);
    expect(shown).to.include({ current_bid: '150.00', bid_count: 2, format: 'parcels', status: 'active' });
    expect(shown.leading_set).to.include({ amount: '400.00' });
    await project(sale);
    const facts: Row[] = await service.database
      .knex('events')
      .where({ type: 'lot.bid_placed', auction_id: sale.id })
      .orderBy('id')
      .select('lot_id', service.database.knex.raw("data->'leaders' AS leaders"));
    expect(facts.map((fact) => fact['lot_id'])).to.include.members([...sale.lots]);
    const onTwo = facts.findLast((fact) => fact['lot_id'] === two);
    expect(onTwo?.['leaders']).to.have.members([ann.user.id, bob.user.id]);
    const listed = (await service.get(`/api/v1/lots/${three}/bids`)).body;
    expect(listed.meta.total).to.equal(2);
    expect(listed.data.map((row: Row) => [row['amount'], row['status'], row['lot_ids']])).to.deep.equal([
      ['140.00', 'standing', [three]],
      ['400.00', 'leading', sale.lots],
    ]);
    await sales.end(sale);
    expect(await sales.lot(one)).to.deep.include({
      ...{ status: 'sold', hammer_price: '66.66' },
      set: { bid_id: whole.body.data.id, lot_ids: sale.lots, amount: '400.00' },
    });
    await project(sale);
    const bills = await invoicesOf(bob.token);
    expect(bills.map((bill) => bill['amount_due']).toSorted()).to.deep.equal([146.66, 220.01, 73.33]);
    for (const bill of bills) expect(bill['set']).to.deep.include({ lot_ids: sale.lots, amount: '400.00' });
    expect(await invoicesOf(ann.token)).to.deep.equal([]);
    expect((await staffOf(service).books(sale.id)).differences).to.deep.equal([]);
    const mine = (await service.get('/api/v1/me/bids', ann.token)).body.data;
    expect(mine.map((row: Row) => [row['lot_id'], row['status']])).to.deep.equal([
      [three, 'lost'],
      [one, 'lost'],
      [two, 'lost'],
    ]);
    expect(await verifyJournal(service.backends, null)).to.deep.include({ ok: true, lots: 1 });
  });
});
