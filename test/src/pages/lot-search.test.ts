/** `/lots`: its orders are the API's, by the price on the card, and its counts are those of what it shows. */
import { expect } from 'chai';
import { BrowserLike } from '../../support/browser-like.ts';
import { aLot, anAuction } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

describe('the search page', () => {
  let service: Service;
  let browser: BrowserLike;

  before(async () => {
    service = await startService();
    browser = new BrowserLike(service.url);
    const auction = await anAuction(service.database);
    const make = (title: string, columns: object) =>
      aLot(service.database, { auction_id: auction.id, title, ...columns });
    await make('Quilt frame', { starting_bid_cents: 90_000, state: 'TX', lat: 30.2, lng: -97.7 });
    await make('Quilt case', {
      starting_bid_cents: 1_000,
      bid_count: 2,
      current_bid_cents: 50_000,
      state: 'TX',
    });
    await make('Quilt pins', { starting_bid_cents: 20_000, state: 'NM' });
    await make('Quilt hoop', { status: 'sold', hammer_price_cents: 30_000, state: 'TX' });
  });
  after(() => service.close());

  const shown = async (address: string) => {
    const { status, text } = await browser.get(address);
    expect(status, address).to.equal(200);
    return [...new Set([...text.matchAll(/Quilt (frame|case|pins|hoop)/g)].map(([, title]) => title))].join(
      ' ',
    );
  };

  it('sorts by the price on the card, as the API does', async () => {
    for (const query of ['sort=-price', 'sort_by=price&sort_dir=desc']) {
      expect(await shown(`/lots?${query}`)).to.equal('frame case pins');
      const { text } = await browser.get(`/lots?${query}`);
      expect(text).to.contain('<option value="-price" selected>Price: highest first</option>');
    }
    expect(await shown('/lots?sort_by=price&min_price=300')).to.equal('case frame');
    const { body } = await service.get('/api/v1/lots?sort_by=price');
    expect(body.data.data.map((row: JsonValue) => row.title)).to.deep.equal([
      ...['Quilt pins', 'Quilt case', 'Quilt frame'],
    ]);
  });

  it('takes every order of the API, says which it is, and lets the choice on the page win', async () => {
    for (const by of ['id', 'lot_number', 'title', 'price', 'current_bid', 'starting_bid', 'end_time']) {
      const { status, text } = await browser.get(`/lots?sort_by=${by}`);
      expect(status, by).to.equal(200);
      expect(text, by).to.contain(`<option value="${by}" selected>`);
    }
    expect(await shown('/lots?sort=title&sort_by=price&sort_dir=desc')).to.equal('case frame pins');
    expect((await browser.get('/lots?search=quilt&sort=')).text).to.contain(
      '<option value="" selected>Best match',
    );
    for (const wrong of ['sort_by=reserve', 'sort_dir=up', 'sort=reserve'])
      expect((await browser.get(`/lots?${wrong}`)).status, wrong).to.equal(422);
  });

  it('finds what was sold, and land by its price per acre', async () => {
    const { text } = await browser.get('/lots?search=quilt');
    expect(text).to.contain('<option value="price_per_acre">Price per acre: lowest first</option>');
    const [, sold = ''] = /<a href="([^"]*)">Sold<\/a>/.exec(text) ?? [];
    expect(await shown(sold.replaceAll('&amp;', '&'))).to.equal('hoop');
    const over = (await browser.get(sold.replaceAll('&amp;', '&'))).text;
    expect(over).to.contain('>Sold for<').and.contain('aria-current="true">Sold</a>');
    expect(over).not.to.contain('Ending within');
  });

  it('has the same filters on the map, where its script reads them', async () => {
    const list = (await browser.get('/lots?search=quilt&state=TX')).text;
    const [, map = ''] = /<a href="(\/map\?[^"]*)">Map<\/a>/.exec(list) ?? [];
    expect(map).to.equal('/map?search=quilt&amp;state=TX');
    const { text } = await browser.get(
      '/map?search=quilt&state=TX&max_price=1%2C000&near=30.2,-97.7&within_km=50',
    );
    const filters = /data-filters="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    expect(Object.fromEntries(new URLSearchParams(filters))).to.include({
      ...{ search: 'quilt', state: 'TX', max_price: '1000', near: '30.2,-97.7', within_km: '50' },
    });
    for (const field of ['Near', 'Within', 'Price from', 'Acres to']) expect(text, field).to.contain(field);
    for (const form of text.match(/<form method="get"[^>]*>/g) ?? [])
      expect(form).to.contain('action="/map"');
    expect(text).to.contain('Within 50 km of 30.2,-97.7').and.contain('<a href="/map">Clear all</a>');
    // One of the three lots has a place.
    expect((await browser.get('/map?search=quilt')).text).to.contain(
      '<span>TX</span> <span class="count">1</span>',
    );
    const asked = (await browser.get('/lots?near=Emporia')).location ?? '';
    expect(asked).to.include('=Emporia%2C+');
    const offered = /Or near: [\s\S]*?<\/p>/.exec((await browser.get(asked)).text)?.[0] ?? '';
    expect(offered).to.match(
      /<a href="\/lots\?[^"]*near=[^"]*Emporia%2C\+(KS|VA)"[^>]*>Emporia, (KS|VA)<\/a>/,
    );
    expect((await browser.get('/map?near=Austin,+TX')).location).to.match(/^\/map\?near=30/);
  });

  it('counts what it shows, also where it found by likeness', async () => {
    const { text } = await browser.get('/lots?search=uilt');
    expect(text).to.contain('<strong>3 lots</strong>');
    expect(text).to.contain('<span>TX</span> <span class="count">2</span>');
    expect(text).to.contain('<span>3 days</span> <span class="count">3</span>');
  });
});
