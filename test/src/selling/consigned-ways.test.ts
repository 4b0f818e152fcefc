/**
 * What a consignor reads of sales in each way to sell: the price that was paid, the commission on it, what is left,
 * and when all buyers have paid. A set of tracts of which the winner does not pay is listed again, and sold again.
 */
import { expect } from 'chai';
import { settleAuctions } from '../../../src/billing/settlements/settlements.ts';
import { type Staff, staffOf } from '../../support/billing.ts';
import { BrowserLike } from '../../support/browser-like.ts';
import { FallingSales } from '../../support/falling-sales.ts';
import type { FormatSales, Sale } from '../../support/format-sales.ts';
import { HOUR_MS } from '../../support/format-sales.ts';
import { paymentOf, projectAuction, report } from '../../support/money.ts';
import { ParcelsSales } from '../../support/parcels-sales.ts';
import { type Service, startService } from '../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../support/tender-sales.ts';

describe('a consignor’s statement of each way to sell', () => {
  let service: Service;
  let staff: Staff;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    staff = staffOf(service);
  });
  after(() => service.close());

  async function settle({ id }: Pick<Sale, 'id'>): Promise<void> {
    await projectAuction(service.database, service.backends.redis, id);
    await service.database.knex('auctions').where({ id }).update({ status: 'ended' });
    await settleAuctions(service.database.knex);
  }

  const invoicesOf = (lot: number) =>
    service.database.knex('invoices').where({ lot_id: lot, kind: 'winner' }).orderBy('id');

  async function pay(lot: number): Promise<void> {
    for (const invoice of await invoicesOf(lot))
      if (invoice.status === 'open') await report(service, { object: paymentOf(invoice) });
  }

  /** The page of a link to these lots. */
  async function linkTo(sales: FormatSales, lots: readonly number[]) {
    const made = await sales.sell('POST', 'consignor-links', { name: 'Estate Miller', lot_ids: lots });
    expect(made.status, made.text).to.equal(201);
    const { pathname } = new URL(made.body.data.url);
    return async () => (await new BrowserLike(service.url).get(pathname)).text;
  }

  function says(page: string, texts: readonly string[]): void {
    for (const text of texts) expect(page, text).to.include(text);
  }

  /** The settlement of a sale, and that its books meet. */
  async function settlementOf(sales: FormatSales, { id }: Pick<Sale, 'id'>) {
    expect((await staff.books(id)).differences).to.deep.equal([]);
    const headers = { 'x-team-id': String(sales.team.id) };
    const { body } = await service.call('GET', `/api/v1/settlements?auction_id=${id}`, {
      token: sales.seller,
      headers,
    });
    return body.data[0];
  }

  it('tender: what is paid, the second highest bid, not what was bid', async () => {
    const sales = await TenderSales.of(service);
    const sale = await sales.open([{ tender_pays: 'second', reserve_price: '150.00' }]);
    const [lot = 0] = sale.lots;
    const [ann, bob] = [await sales.registered(sale), await sales.registered(sale)];
    for (const [who, amount] of [
      [ann, '412.35'],
      [bob, '300.01'],
    ] as const)
      expect((await sales.bid(who, lot, amount)).status).to.equal(201);
    const page = await linkTo(sales, [lot]);
    expect(await page()).to.not.match(/300\.01|412\.35|30001|41235/);
    await sales.end(sale);
    await settle(sale);
    says(await page(), ['$300.01', '$15.00', '$285.01', 'Not paid yet']);
    expect(await page()).to.not.match(/412\.35|41235/);
    await pay(lot);
    says(await page(), ['The buyer paid']);
    expect(await settlementOf(sales, sale)).to.deep.include({ status: 'pending', waiting_for: [] });
  });

  it('falling clock: all parts, and paid once all of their buyers have paid', async () => {
    const sales = await FallingSales.of(service);
    const sale = await sales.auctionOf([{ quantity: 3 }], 2.5 * HOUR_MS);
    const [lot = 0] = sale.lots;
    for (const take of [1, 2]) {
      const { token } = await sales.bidder();
      expect((await sales.bid(token, lot, { amount: '200.00', take })).status).to.equal(201);
    }
    const page = await linkTo(sales, [lot]);
    await settle(sale);
    says(await page(), ['$600.00', '$30.00', '$570.00', 'Not paid yet']);
    const [first] = await invoicesOf(lot);
    await report(service, { object: paymentOf(first) });
    says(await page(), ['Not paid yet']);
    await pay(lot);
    says(await page(), ['The buyer paid']);
    const { totals } = await settlementOf(sales, sale);
    expect(totals).to.include({ hammer: 600, commission: 30, net: 570 });
  });

  it('parcels: each tract’s share to the cent; and a set that was not paid, listed and sold again', async () => {
    const sales = await ParcelsSales.of(service);
    const sale = await sales.open([{}, { starting_bid: '200.00' }, {}]);
    const [one = 0, two = 0, three = 0] = sale.lots;
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    expect((await sales.bid(ann, [one, two], '500.00')).status).to.equal(201);
    expect((await sales.bid(bob, [three], '100.00')).status).to.equal(201);
    const page = await linkTo(sales, [one, two]);
    await sales.end(sale);
    await settle(sale);
    // 500.00 by 1 to 2: rounded down, and the rest.
    says(await page(), ['$166.66', '$8.33', '$158.33', '$333.34', '$16.67', '$316.67', 'Not paid yet']);
    for (const lot of [one, two]) expect((await staff.defaultLot(lot)).status).to.equal('voided');
    await pay(three);
    const after = await settlementOf(sales, sale);
    expect(after).to.deep.include({ status: 'pending', waiting_for: [] });
    expect(after.totals).to.include({ hammer: 100, commission: 5, net: 95 });
    expect(await page()).to.not.match(/166\.66|333\.34/);
    const { to_decide: rows } = (await sales.sell('GET', `auctions/${sale.id}/after`)).body.data;
    expect(
      rows.map(({ lot_id, status, options }: Record<string, unknown>) => [lot_id, status, options]),
    ).to.deep.equal([one, two].map((lot) => [lot, 'defaulted', ['relist']]));
    const next = await sales.draft([]);
    const again: number[] = [];
    for (const lot of [one, two]) {
      const made = await sales.sell('POST', `lots/${lot}/relist`, { auction_id: next.id });
      expect(made.status, made.text).to.equal(201);
      again.push(made.body.data.id);
      const twice = await sales.sell('POST', `lots/${lot}/relist`, { auction_id: next.id });
      expect([twice.status, twice.body.code]).to.deep.equal([409, 'invalid_transition']);
    }
    const opened = await sales.begin({ ...next, lots: again });
    expect((await sales.bid(bob, again, '450.00')).status).to.equal(201);
    await sales.end(opened);
    await settle(opened);
    for (const lot of again) await pay(lot);
    const sold = await settlementOf(sales, opened);
    expect(sold.totals).to.include({ hammer: 450, commission: 22.5, net: 427.5 });
    says(await (await linkTo(sales, again))(), [
      '$150.00',
      '$142.50',
      '$300.00',
      '$285.00',
      'The buyer paid',
    ]);
    expect((await service.get('/api/v1/me/bids', ann.token)).body.data[0].status).to.equal('defaulted');
    expect((await staff.books(sale.id)).differences).to.deep.equal([]);
  });
});
