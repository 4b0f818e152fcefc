/** Lots near a place: their distance, bounds and order; the places themselves; and what an acre costs. */
import { expect } from 'chai';
import { BrowserLike } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

/** Austin, TX. */
const AUSTIN = '30.2713,-97.7426';

describe('lots near a place', () => {
  let service: Service;
  let auctionId: number;
  const ids: Record<string, number> = {};

  before(async () => {
    service = await startService();
    const auction = await anAuction(service.database, { title: 'Land' });
    auctionId = auction.id;
    for (const [title, columns] of [
      // The great circle from Austin: 0; 118.3 km; 235.5 km; over the date line 12,143.6 km.
      ['Austin', { lat: 30.2713, lng: -97.7426, acres: '10', starting_bid_cents: 100_000 }],
      ['San Antonio', { lat: 29.4241, lng: -98.4936, acres: '3', starting_bid_cents: 20_000 }],
      ['Houston', { lat: 29.7604, lng: -95.3698, acres: null }],
      ['Suva', { lat: -18.1248, lng: 178.4501, acres: '0.5' }],
      ['Nowhere', {}],
    ] as const) {
      ids[title] = (await aLot(service.database, { auction_id: auctionId, title, ...columns })).id;
    }
    await service.publish();
  });
  after(() => service.close());

  const list = async (query: string): Promise<JsonValue> => (await service.get(`/api/v1/lots?${query}`)).body;
  const titles = (body: JsonValue) => body.data.data.map(({ title }: JsonValue) => title);

  it('are found within so many kilometres, with their distance, the nearest first', async () => {
    const near = await list(`near=${AUSTIN}&within_km=150&sort_by=distance`);
    expect(titles(near)).to.deep.equal(['Austin', 'San Antonio']);
    const [here, there] = near.data.data;
    expect(here.distance_km).to.equal(0);
    expect(there.distance_km).to.be.within(118, 119);
    expect(String(there.distance_km)).to.match(/^\d+(\.\d)?$/);
    const any = await list(`near=${AUSTIN}&sort_by=distance&sort_dir=desc`);
    expect(titles(any)).to.deep.equal(['Suva', 'Houston', 'San Antonio', 'Austin']);
    expect(any.data.total).to.equal(4);
    expect((await list('sort_by=title')).data.data[0]).not.to.have.property('distance_km');
    expect(titles(await list('near=-18.1,-179.9&within_km=400'))).to.deep.equal(['Suva']);
    expect(titles(await list('near=89.9,0&within_km=300'))).to.deep.equal([]);
    const map = (await service.get(`/api/v1/lots/geojson?near=${AUSTIN}&within_km=150`)).body;
    expect(map.features).to.have.length(2);
    const found = await list(`near=${AUSTIN}&within_km=150&search=antonio`);
    expect(titles(found)).to.deep.equal(['San Antonio']);
    expect(found.data.data[0].distance_km).to.be.above(118);
  });

  it('refuse what is no place, and a distance from nowhere', async () => {
    for (const [query, field] of [
      ['near=91,0', 'near'],
      ['near=0,181', 'near'],
      ['near=Austin', 'near'],
      ['within_km=10', 'within_km'],
      [`near=${AUSTIN}&within_km=0`, 'within_km'],
      ['sort_by=distance', 'sort_by'],
    ] as const) {
      const { status, body } = await service.get(`/api/v1/lots?${query}`);
      expect([status, Object.keys(body.errors)], query).to.deep.equal([422, [field]]);
    }
  });

  it('have places by town and postal code', async () => {
    const places = async (q: string): Promise<JsonValue> =>
      (await service.get(`/api/v1/places?q=${encodeURIComponent(q)}`)).body.data;
    const austin = { name: 'Austin', state: 'TX', country: 'US' };
    for (const q of ['78701', 'Austin, TX', 'austin texas', 'AUSTIN TX'])
      expect((await places(q))[0], q).to.include(austin);
    // Of towns of one name the largest comes first.
    for (const [q, state] of [
      ['Denver', 'CO'],
      ['portland', 'OR'],
      ['Houston', 'TX'],
    ] as const)
      expect((await places(q))[0], q).to.include({ state });
    expect((await places('78701'))[0]).to.deep.equal({
      ...austin,
      postal_code: '78701',
      lat: 30.2713,
      lng: -97.7426,
    });
    expect((await places('m5v 2t6'))[0]).to.include({ postal_code: 'M5V', state: 'ON', country: 'CA' });
    expect(await places('a')).to.deep.equal([]);
    expect(await places('zzzzzz')).to.deep.equal([]);
    expect(await places('San')).to.have.length(20);
    expect((await service.get(`/api/v1/places?q=${'a'.repeat(101)}`)).status).to.equal(422);
  });

  it('tell what an acre costs, by the price of the moment', async () => {
    const token = await service.tokenFor(await aUser(service.database));
    const prices = async () =>
      Object.fromEntries(
        (await list('sort_by=price_per_acre')).data.data.map((one: JsonValue) => [
          one.title,
          one.price_per_acre,
        ]),
      );
    expect(await prices()).to.deep.equal({
      'San Antonio': '66.67',
      Austin: '100.00',
      Suva: '200.00',
      Houston: null,
      Nowhere: null,
    });
    const placed = await service.call('POST', `/api/v1/lots/${ids['Austin']}/bids`, {
      token,
      body: { amount: '4000.00' },
    });
    expect(placed.status, placed.text).to.equal(201);
    expect((await service.get(`/api/v1/lots/${ids['Austin']}`)).body.data.price_per_acre).to.equal('400.00');
    const dear = await list('sort_by=price_per_acre&sort_dir=desc');
    expect(titles(dear).slice(-2).sort()).to.deep.equal(['Houston', 'Nowhere']);
  });

  it('are searched for on the page by the name of a town', async () => {
    const browser = new BrowserLike(service.url);
    const typed = await browser.get('/lots?near=Austin%2C+tx&within_km=150');
    expect(typed.location)
      .to.match(/^\/lots\?.*near=30\.[23]\d*%2C-97\.7\d*/)
      .and.to.contain('within_km=150');
    const page = (await browser.get(typed.location!)).text;
    expect(page).to.contain('Within 150 km of Austin, TX').and.to.contain('value="Austin, TX"');
    expect(page)
      .to.match(/1[12]\d(\.\d)? km away/)
      .and.to.contain('Nearest first')
      .and.not.to.contain('Houston</a>');
    const unknown = await browser.get('/lots?near=Xyzzyville');
    expect(unknown.text).to.contain('We know no town or postal code “Xyzzyville”.').and.to.contain('Houston');
    expect((await browser.get('/lots?near=&within_km=')).text).to.contain('Houston');
  });
});
