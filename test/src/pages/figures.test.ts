/** The office's reports: charts without a script, a table and a file with the same figures, by month and by auction. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { aSale, paymentOf, report, reportDispute } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const PATH = '/office/figures';

describe('The reports of the office', () => {
  let service: Service;
  let office: BrowserLike;
  let title: string;
  let auctionId: number;

  before(async () => {
    service = await startService();
    const { knex } = service.database;
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    const sale = await aSale(service, 90_000);
    auctionId = sale.auction.id;
    title = '=A sale, of old things';
    await knex('lots').where('id', sale.lot.id).update({ estimate_low: 600, estimate_high: 1_000 });
    await knex('auctions').where('id', auctionId).update({ status: 'ended', title });
    const other = await aSale(service, 10_000);
    const payment = paymentOf(other.invoice);
    await report(service, { object: payment });
    await reportDispute(service, payment, 'created', { amount: 4_000 });
    await knex('invoices').where('id', sale.invoice.id).update({ due_at: '2026-01-01T00:00:00Z' });
    await knex('bids').where('lot_id', other.lot.id).update({ user_id: sale.buyer.id });
    const passed = { auction_id: auctionId, status: 'unsold' as const, closed_at: new Date().toISOString() };
    await aLot(service.database, passed);
    const yen = await anAuction(service.database, { currency: 'jpy', status: 'ended' });
    await aLot(service.database, { auction_id: yen.id, status: 'unsold', closed_at: passed.closed_at });
  });
  after(() => service.close());

  /** The cells of the row of the table that begins so. */
  const cells = (text: string, name: string) => {
    const row = text
      .split('<h2>All figures</h2>')[1]
      ?.split('<tr>')
      .find((one) => one.includes(name));
    return [...(row ?? '').matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell]) =>
      cell!.replaceAll(/<[^>]+>/g, '').trim(),
    );
  };
  const thisMonth = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });

  it('show twelve months with all six charts, drawn without a script', async () => {
    const { text } = await office.get(PATH);
    const charts = [...text.matchAll(/<figcaption>([^<]+)</g)].map(([, name]) => name);
    const names = ['Sales', 'Sell-through', 'Bidders', 'Hammer against estimate', 'Unpaid', 'Disputes'];
    expect(charts).to.deep.equal(names);
    expect(text.match(/<svg[^>]* role="img" aria-label="[^"]+"/g)?.length).to.be.at.least(6);
    expect(text.match(/<rect /g)?.length).to.be.at.least(72);
    const [, sales, sold, through, bidders, against, unpaid, disputed] = cells(
      text,
      thisMonth.format(new Date()),
    );
    expect([sales, sold, through, bidders]).to.deep.equal(['$1,000.00', '2 of 3', '66.7%', '1']);
    expect([against, unpaid, disputed]).to.deep.equal(['112.5%', '$900.00', '$40.00']);
  });

  it('show auctions by name, and other currencies apart', async () => {
    const { text } = await office.get(`${PATH}?by=auction`);
    const [name, sales, sold] = cells(text, `/office/auctions/${auctionId}`);
    expect([name, sales, sold]).to.deep.equal([title, '$900.00', '1 of 2']);
    const yen = await office.get(`${PATH}?currency=jpy`);
    expect(cells(yen.text, thisMonth.format(new Date()))[2]).to.equal('0 of 1');
    expect((await office.get(`${PATH}?by=auction&currency=eur`)).status).to.equal(200);
  });

  it('are a file too, which no program takes for formulas', async () => {
    const file = await office.get(`${PATH}/csv?by=auction&currency=usd`);
    expect(file.headers.get('content-type')).to.match(/^text\/csv/);
    const [head, first] = file.text.replace('\ufeff', '').split('\r\n');
    expect(head).to.match(/^auction,currency,lots_sold,lots_offered,sell_through_percentage,hammer,bidders,/);
    expect(first).to.match(
      /^"'=A sale, of old things",usd,1,2,50,900\.00,1,900\.00,600,1000,1,900\.00,0,0\.00$/,
    );
    const visitor = new BrowserLike(service.url);
    expect((await visitor.get(`${PATH}/csv`)).location).to.match(/^\/sign-in/);
  });
});
