/** Of a tract that was bid on with others only nobody is shown an amount that nobody bid, while it is open and after. */
import { expect } from 'chai';
import { addToWatchlist } from '../../../src/catalog/watchlist/watchlist.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import { type Bidder, PASSWORD, type Sale } from '../../support/format-sales.ts';
import { projectAuction } from '../../support/money.ts';
import { ParcelsSales } from '../../support/parcels-sales.ts';
import { type Service, startService } from '../../support/service.ts';

const NO_AMOUNT = /(?<![\d,.])0\.00\b/;

describe('tracts that were bid on with others only', () => {
  let service: Service;
  let sales: ParcelsSales;
  let sale: Sale;
  let bidder: Bidder;
  let pages: readonly (readonly [BrowserLike, string])[];

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
    const acres = { land: { acres: 40 } };
    // A reserve keeps all of it from being sold.
    sale = await sales.open([acres, acres, { ...acres, reserve_price: '90000.00' }]);
    const [one = 0, two = 0, three = 0] = sale.lots;
    bidder = await sales.bidder();
    expect((await sales.bid(bidder, [one, two, three], '900.00')).status).to.equal(201);
    for (const lot of sale.lots) await addToWatchlist(service.backends.knex, bidder.user.id, lot);
    await projectAuction(service.database, service.backends.redis, sale.id);
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const reported = { lot_id: one, user_id: bidder.user.id, reason: 'other', text: 'Look.' };
    await service.database.knex('lot_reports').insert(reported);
    const seen = async (email: string) => {
      const browser = new BrowserLike(service.url);
      await signIn(browser, email, PASSWORD);
      return browser;
    };
    const own = await seen(bidder.user.email);
    const desk = await seen(sales.owner.email);
    const office = await seen(admin.email);
    const auction = `/seller/auctions/${sale.id}`;
    pages = [
      ...[`/lots/${one}`, '/lots', `/auctions/${sale.slug}`, `/auctions/${sale.slug}/parcels`].map(
        (path) => [own, path] as const,
      ),
      ...['/account/board', '/account/notifications'].map((path) => [own, path] as const),
      ...['/seller/lots', `/seller/lots/${one}`, auction, `${auction}/live`].map(
        (path) => [desk, path] as const,
      ),
      ...[`${auction}/results`, `${auction}/results.csv`].map((path) => [desk, path] as const),
      ...['/office/lots', `/office/lots/${one}`, `/office/auctions/${sale.id}`, '/office/queue'].map(
        (path) => [office, path] as const,
      ),
    ];
  });
  after(() => service.close());

  /** What is read on a page; sums of all lots may be nothing, below a reserve too, and the first increment begins there. */
  const textOf = (html: string) =>
    html
      .replaceAll(/<ul class="tiles">.*?<\/ul>/gs, '')
      .replaceAll(/<[^>]+>|\s+/g, ' ')
      .replace(/Current bid from +Increment +\$0\.00|If it ended now: +\$0\.00 +At most: +\$990\.00/, '');

  async function expectNoAmounts(): Promise<void> {
    for (const [browser, path] of pages) {
      const page = await browser.get(path);
      expect(page.status, path).to.equal(200);
      const text = textOf(page.text);
      const at = text.search(NO_AMOUNT);
      expect(at, `${path}: ${text.slice(Math.max(0, at - 200), at + 60)}`).to.equal(-1);
    }
  }

  it('show none on any page while they are open, and cost their starting bid per acre', async () => {
    await expectNoAmounts();
    const [one] = sale.lots;
    expect(await sales.lot(one)).to.include({ bid_count: 1, current_bid: '0.00', price_per_acre: '2.50' });
    const listed = await service.get(`/api/v1/auctions/${sale.id}/lots`);
    expect(listed.body.data.data[0]).to.include({ current_bid: '0.00', price_per_acre: '2.50' });
  });

  it('are found and sorted by the price that their card shows', async () => {
    const [one = 0, two = 0, three = 0] = sale.lots;
    // Bid on alone, the second costs more, and the first is what it starts at.
    const other = await sales.bidder();
    expect((await sales.bid(other, [two], '150.00', { standing: true })).status).to.equal(201);
    await projectAuction(service.database, service.backends.redis, sale.id);
    const found = async (query: string) => {
      const { body } = await service.get(`/api/v1/lots?auction_id=${sale.id}&${query}`);
      return body.data.data.map(({ id }: { id: number }) => id);
    };
    for (const order of ['price', 'price_per_acre']) {
      expect(await found(`sort_by=${order}`), order).to.deep.equal([one, three, two]);
      expect(await found(`sort_by=${order}&sort_dir=desc`), order).to.deep.equal([two, one, three]);
    }
    expect(await found('min_price=100')).to.have.members([one, two, three]);
    expect(await found('max_price=99.99')).to.deep.equal([]);
    expect(await found('max_price=100')).to.have.members([one, three]);
    expect(await found('min_price=100.01')).to.deep.equal([two]);
  });

  it('show none when they are over and not sold', async () => {
    // On a busy machine the service may see an outage, which moves ends.
    for (let n = 0; n < 5 && (await sales.lot(sale.lots[0])).status === 'active'; n += 1)
      await sales.end(sale);
    await projectAuction(service.database, service.backends.redis, sale.id);
    expect((await sales.lot(sale.lots[0])).status).to.equal('passed');
    await expectNoAmounts();
  });
});
