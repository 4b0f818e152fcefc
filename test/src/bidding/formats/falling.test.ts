/** A falling clock over HTTP: set up, shown, bought from, closed, billed, explained and verified. */
import { expect } from 'chai';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { staffOf } from '../../../support/billing.ts';
import { CLOCK, FallingSales } from '../../../support/falling-sales.ts';
import { HOUR_MS } from '../../../support/format-sales.ts';
import { paymentOf, projectAuction, report } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('a lot on a falling clock', () => {
  let service: Service;
  let sales: FallingSales;

  before(async () => {
    service = await startService();
    sales = await FallingSales.of(service);
  });

  after(() => service.close());

  const sell: FallingSales['sell'] = (...request) => sales.sell(...request);
  const auctionOf: FallingSales['auctionOf'] = (...auction) => sales.auctionOf(...auction);
  const bidder = () => sales.bidder();
  const bid: FallingSales['bid'] = (...given) => sales.bid(...given);

  it('sells pieces at the price of the moment until all are taken, and bills each buyer', async () => {
    const { id, lots } = await auctionOf([{ quantity: 10 }], 2.5 * HOUR_MS);
    const [lot] = lots;
    const shown = (await service.get(`/api/v1/lots/${lot}`)).body.data;
    expect(shown).to.include({
      ...CLOCK,
      format: 'falling',
      minimum_next_bid: '200.00',
      next_price: '150.00',
      quantity_left: 10,
      current_bid: '0.00',
    });
    const startedAt = Date.parse(shown.start_time);
    expect(Date.parse(shown.next_price_at) - startedAt).to.equal(3 * HOUR_MS);
    expect(Date.parse(shown.end_time) - startedAt).to.equal(4 * HOUR_MS + 600_000);
    const [ann, bob] = [await bidder(), await bidder()];
    const low = await bid(ann.token, lot, { amount: '199.99' });
    expect([low.status, low.body.code]).to.deep.equal([422, 'bid_too_low']);
    expect(low.body.data).to.include({ minimum_next_bid: '200.00', quantity_left: 10 });
    const first = await bid(ann.token, lot, { amount: '250.00', take: 4 });
    expect(first.status, first.text).to.equal(201);
    expect(first.body.data).to.include({ outcome: 'won', amount: '200.00', take: 4, total: '800.00' });
    expect(first.body.data.lot).to.include({ quantity_left: 6, current_bid: '200.00', status: 'active' });
    await projectAuction(service.database, service.backends.redis, id);
    const more = await sell('POST', `lots/${lot}/amendments`, {
      changes: { quantity: 20 },
      reason: 'More came in.',
    });
    expect([more.status, more.body.code]).to.deep.equal([409, 'lot_locked']);
    const many = await bid(bob.token, lot, { amount: '200.00', take: 7 });
    expect([many.status, many.body.code]).to.deep.equal([409, 'not_enough_left']);
    expect(many.body.data).to.include({ minimum_next_bid: '200.00', quantity_left: 6 });
    expect((await bid(bob.token, lot, { amount: '200.00', take: 6 })).status).to.equal(201);
    const over = await bid(ann.token, lot, { amount: '300.00' });
    expect([over.status, over.body.code]).to.deep.equal([409, 'lot_closed']);
    const closed = (await service.get(`/api/v1/lots/${lot}`)).body.data;
    expect(closed).to.include({
      status: 'sold',
      hammer_price: '2000.00',
      quantity_left: 0,
      next_price: null,
    });
    const rows = (await service.get(`/api/v1/lots/${lot}/bids`, ann.token)).body.data;
    expect(
      rows.map((row: Record<string, unknown>) => [row['amount'], row['take'], row['total'], row['status']]),
    ).to.deep.equal([
      ['200.00', 6, '1200.00', 'won'],
      ['200.00', 4, '800.00', 'won'],
    ]);
    await projectAuction(service.database, service.backends.redis, id);
    for (const [{ token }, due] of [
      [ann, 880],
      [bob, 1_320],
    ] as const) {
      const invoices = (await service.get('/api/v1/invoices', token)).body.data;
      expect(invoices.map((one: Record<string, unknown>) => one['amount_due'])).to.deep.equal([due]);
      const mine = (await service.get('/api/v1/me/bids', token)).body.data;
      expect(mine.map((one: Record<string, unknown>) => one['status'])).to.deep.equal(['won']);
    }
  });

  it('settles with the seller what several buyers paid, and keeps the books', async () => {
    const { id, lots } = await auctionOf([{ quantity: 3 }], 2.5 * HOUR_MS);
    const staff = staffOf(service);
    const [ann, bob] = [await bidder(), await bidder()];
    await bid(ann.token, lots[0], { amount: '200.00' });
    await bid(bob.token, lots[0], { amount: '200.00', take: 2 });
    await projectAuction(service.database, service.backends.redis, id);
    const { knex } = service.database;
    await knex('auctions').where({ id }).update({ status: 'ended' });
    await settleAuctions(knex);
    const invoices: Invoice[] = await knex('invoices').where({ lot_id: lots[0] }).orderBy('id');
    expect(invoices.map((one) => one.amount_due_cents)).to.deep.equal([22_000, 44_000]);
    const lines = () =>
      knex('settlement_lines').where('lot_id', lots[0]).select('settled_by', 'hammer_cents');
    expect(await lines()).to.deep.equal([{ settled_by: 'invoice', hammer_cents: 60_000 }]);
    expect((await staff.books(id)).differences).to.deep.equal([]);
    for (const invoice of invoices) await report(service, { object: paymentOf(invoice) });
    expect((await staff.books(id)).differences).to.deep.equal([]);
    await staff.refund(invoices[0]!.invoice_number);
    expect((await staff.books(id)).differences).to.deep.equal([]);
    expect(await lines()).to.deep.equal([{ settled_by: 'invoice', hammer_cents: 40_000 }]);
  });

  it('is on the board with what was bought, and no button to raise it', async () => {
    const { id, lots } = await auctionOf([{ quantity: 5 }], 2.5 * HOUR_MS);
    const ann = await bidder();
    await bid(ann.token, lots[0], { amount: '200.00', take: 2 });
    await projectAuction(service.database, service.backends.redis, id);
    const board = (await service.get('/api/v1/me/board', ann.token)).body.data;
    expect(board.open[0]).to.include({ standing: 'leading', next_amount: null, total_now: '440.00' });
    expect(board.totals).to.deep.equal([{ currency: 'usd', now: '440.00', at_most: '440.00' }]);
  });

  it('takes a void back into what is left', async () => {
    const { lots } = await auctionOf([{ quantity: 2 }], HOUR_MS / 2);
    const [lot] = lots;
    const ann = await bidder();
    const made = await bid(ann.token, lot, { amount: '300.00' });
    expect(made.body.data).to.include({ outcome: 'won', amount: '300.00' });
    await voidBid(service.backends, made.body.data.id, 'A mistake');
    const after = (await service.get(`/api/v1/lots/${lot}`)).body.data;
    expect(after).to.include({ quantity_left: 2, bid_count: 0, current_bid: '0.00', status: 'active' });
  });

  it('refuses what it has no use for, where it is set and where it is bid', async () => {
    const { id, lots } = await auctionOf([{}], HOUR_MS / 2);
    const { token } = await bidder();
    const wrong = async (method: string, path: string, body: object) => {
      const { status, body: answer } = await sell(method, path, body);
      return [status, Object.keys(answer.errors ?? {})];
    };
    const lot = { auction_id: id, title: 'A lot', ...CLOCK };
    expect(await wrong('POST', 'lots', { ...lot, starting_bid: '1.00' })).to.deep.equal([
      422,
      ['starting_bid'],
    ]);
    expect(await wrong('POST', 'lots', { ...lot, reserve_price: '1.00' })).to.deep.equal([
      422,
      ['reserve_price'],
    ]);
    expect(await wrong('POST', 'lots', { ...lot, buy_now_price: '1.00' })).to.deep.equal([
      422,
      ['buy_now_price'],
    ]);
    expect(await wrong('POST', 'lots', { ...lot, step: undefined })).to.deep.equal([422, ['step']]);
    expect(await wrong('POST', 'lots', { ...lot, floor_price: '300.00' })).to.deep.equal([
      422,
      ['floor_price'],
    ]);
    expect(await wrong('POST', 'lots', { ...lot, quantity: 2, bid_per: 'unit', units: 3 })).to.deep.equal([
      422,
      ['quantity'],
    ]);
    const times = { start_time: '2030-01-01T00:00:00Z', end_time: '2030-01-02T00:00:00Z' };
    const sale = { title: 'A sale', format: 'falling', ...times };
    expect(await wrong('POST', 'auctions', { ...sale, soft_close: { window_seconds: 60 } })).to.deep.equal([
      422,
      ['soft_close'],
    ]);
    expect(await wrong('POST', 'auctions', { ...sale, type: 'simulcast' })).to.deep.equal([422, ['type']]);
    expect(await wrong('POST', 'auctions', { ...sale, confirm_factor: 3 })).to.deep.equal([
      422,
      ['confirm_factor'],
    ]);
    const timed = (await sell('POST', 'auctions', { title: 'A sale', ...times })).body.data;
    expect(
      await wrong('POST', 'lots', {
        auction_id: timed.id,
        title: 'A lot',
        starting_bid: '1.00',
        step: '1.00',
      }),
    ).to.deep.equal([422, ['step']]);
    expect(await wrong('POST', 'lots', { auction_id: timed.id, title: 'A lot' })).to.deep.equal([
      422,
      ['starting_bid'],
    ]);
    for (const change of [{ step: '10.00' }, { quantity: 7 }]) {
      const fixed = await sell('PATCH', `lots/${lots[0]}`, change);
      expect([fixed.status, fixed.body.code], JSON.stringify(change)).to.deep.equal([409, 'lot_locked']);
    }
    const same = await sell('PATCH', `lots/${lots[0]}`, { step: CLOCK.step, quantity: 1 });
    expect(same.status, same.text).to.equal(200);
    const format = await sell('PATCH', `auctions/${id}`, { format: 'timed' });
    expect([format.status, format.body.code]).to.deep.equal([409, 'auction_locked']);
    const proxy = await bid(token, lots[0], { max_amount: '300.00' });
    expect([proxy.status, Object.keys(proxy.body.errors ?? {})]).to.deep.equal([422, ['max_amount']]);
    const buy = await service.call('POST', `/api/v1/lots/${lots[0]}/buy-now`, { token, body: {} });
    expect([buy.status, buy.body.code]).to.deep.equal([409, 'buy_now_unavailable']);
  });
});
