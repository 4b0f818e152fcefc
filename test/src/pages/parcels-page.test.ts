/** The board of tracts that are sold in any combination, as somebody without the script uses it. */
import { expect } from 'chai';
import { BrowserLike, signIn } from '../../support/browser-like.ts';
import { anAuction } from '../../support/builders.ts';
import { PASSWORD, type Sale } from '../../support/format-sales.ts';
import { ParcelsSales } from '../../support/parcels-sales.ts';
import { type Service, startService } from '../../support/service.ts';

describe('the board of tracts', () => {
  let service: Service;
  let sales: ParcelsSales;
  let sale: Sale;
  let browser: BrowserLike;
  let board: string;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
    const placed = (lat: number, lng: number) => ({ units: '10', unit_name: 'acre', location: { lat, lng } });
    sale = await sales.open([placed(41, -93), placed(41.01, -93), placed(41, -93.02)]);
    board = `/auctions/${sale.slug}/parcels`;
    const { user } = await sales.bidder();
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
  });
  after(() => service.close());

  const text = (html: string) =>
    html
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();

  it('shows every tract, on its map too, and no price before one is ticked', async () => {
    const { status, text: html } = await browser.get(board);
    expect(status).to.equal(200);
    expect(html.match(/type="checkbox" name="t\d"/g)).to.have.length(3);
    expect(html.match(/data-tick="/g)).to.have.length(3);
    expect(html).not.to.contain('Price to lead</dt>');
    expect(text(html)).to.contain('Nothing leads yet.');
    const { text: auction } = await browser.get(`/auctions/${sale.slug}`);
    expect(auction).to.contain(`href="${board}"`);
    const { text: lot } = await browser.get(`/lots/${sale.lots[0]}`);
    expect(lot).to.contain(`href="${board}?set=${sale.lots[0]}"`);
  });

  it('shows the price to lead of what is ticked, in all and per acre, and links that tick more', async () => {
    const { text: html } = await browser.get(`${board}?t1=yes&t3=yes`);
    const shown = text(html);
    expect(shown).to.contain('Tracts 1, 3');
    expect(shown).to.match(/Price to lead \$200\.00/);
    expect(shown).to.match(/Total \$200\.00/);
    expect(shown).to.match(/Per acre \$10\.00/);
    expect(shown).to.include('10 acres');
    const [one, two, three] = sale.lots;
    expect(html).to.contain(`href="${board}?set=${one},${three},${two}"`);
    expect(html).to.contain(`href="${board}?set=${three}"`);
    const same = await browser.get(`${board}?set=${one},${three}`, { 'x-fragment': 'board' });
    expect(same.text).to.match(/^\s*<div class="parcels"/);
  });

  it('takes a bid on a set, says that it leads, and what it could cost at most', async () => {
    const [one, two, three] = sale.lots;
    const form = { lot_ids: `${one},${two}`, next: board, amount: '250' };
    const placed = await browser.post(`/lots/${one}/bid`, form);
    expect([placed.status, placed.headers.get('location')]).to.deep.equal([303, `${board}?bid=leading`]);
    const shown = text((await browser.get(`${board}?bid=leading`)).text);
    expect(shown).to.contain('Your bid leads.');
    expect(shown).to.match(/At most \$250\.00/);
    expect(shown).to.match(/You lead \$250\.00 for 1, 2/);
    const low = await browser.post(`/lots/${one}/bid`, { lot_ids: `${one}`, next: board, amount: '120' });
    const address = low.headers.get('location') ?? '';
    expect([low.status, address]).to.deep.equal([
      ...[303, `${board}?set=${one}&amount=120&refused=bid_not_leading`],
    ]);
    const refused = text((await browser.get(address)).text);
    expect(refused).to.contain('This bid would not lead.');
    expect(refused).to.match(/Price to lead \$250\.01/);
    expect(refused).to.match(/Would no longer lead paddle \d+/);
    const stands = await browser.post(`/lots/${one}/bid`, {
      ...{ lot_ids: `${one}`, next: board, amount: '120', standing: 'yes' },
    });
    expect(stands.headers.get('location')).to.equal(`${board}?bid=standing`);
    expect(text((await browser.get(`${board}?bid=standing`)).text)).to.contain('Other bids that stand');
    expect((await browser.get(`/lots/${two}`)).text).to.contain('Leads, with its set');
    expect((await browser.get(`/lots/${three}`)).status).to.equal(200);
  });

  it('asks visitors to sign in, and is nothing where lots are sold one by one', async () => {
    const visitor = new BrowserLike(service.url);
    expect((await visitor.get(`${board}?t1=yes`)).text).to.contain('Sign in to bid');
    expect((await visitor.get('/auctions/none/parcels')).status).to.equal(404);
    const single = await anAuction(service.database, {});
    const led = await visitor.get(`/auctions/${single.slug}/parcels`);
    expect(led.headers.get('location')).to.equal(`/auctions/${single.slug}`);
    const [one] = sale.lots;
    const sent = await visitor.get(`${board}?set=9999`);
    expect([sent.status, sent.text.includes('Price to lead</dt>')]).to.deep.equal([200, false]);
    expect(one).to.be.greaterThan(0);
  });

  it('says at the end what each tract was sold for', async () => {
    await sales.end(sale);
    const { text: html } = await browser.get(board);
    expect(html).not.to.contain('type="checkbox"');
    expect(text(html)).to.match(/Sold for \$125\.00/);
    expect(text(html)).to.contain('The sale is over.');
  });

  it('says after the end what led, and of no tract that was not sold that somebody leads', async () => {
    const lots = [{ reserve_price: '500.00' }, {}, {}];
    const over = await sales.open(lots);
    const [one, two] = over.lots;
    const ann = await sales.bidder();
    expect((await sales.bid(ann, [one, two], '300.00')).status).to.equal(201);
    const rows = text((await browser.get(`/lots/${two}`)).text);
    expect(rows, 'a bid on both in the list of one').to.contain('2 tracts together');
    expect(rows).to.contain('Leads, with its set');
    await sales.end(over);
    const shown = text((await browser.get(`/auctions/${over.slug}/parcels`)).text);
    expect(shown).to.contain('What led at the end').and.contain('Not sold');
    expect(shown)
      .to.match(/Reserve Not met /)
      .and.not.match(/Paddle \d+ \$300\.00 for 1, 2/);
    expect(shown).to.not.contain('Leading sets');
    const { text: lot } = await browser.get(`/lots/${two}`);
    expect(lot, 'no chart of bids on other sets')
      .to.contain('Led at the end, with its set')
      .and.contain('data-chart hidden');
  });
});
