/** Lists of lots and the map: filters, orders, and live fields that are the journal's. */
import { expect } from 'chai';
import type { Auction } from '../../../src/bidding/records/auction.model.ts';
import type { Lot } from '../../../src/bidding/records/lot.model.ts';
import type { Category } from '../../../src/catalog/categories/category.model.ts';
import { aCategory, aLot, anAuction, aUser } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';
import { slowness } from '../../support/slowness.ts';

describe('lots over HTTP', () => {
  let service: Service;
  let auction: Auction;
  let land: Category;
  let timber: Category;
  const made: Record<string, Lot> = {};

  before(async () => {
    service = await startService();
    const db = service.database;
    land = await aCategory(db);
    timber = await aCategory(db, { parent_id: land.id });
    auction = await anAuction(db, { category_id: land.id, end_time: '2036-07-12T10:00:00Z' });
    const other = await anAuction(db, { end_time: '2036-07-13T10:00:00Z' });
    const make = async (title: string, columns: Parameters<typeof aLot>[1] = {}) => {
      made[title] = await aLot(db, { title, auction_id: auction.id, ...columns });
    };
    await make('A', { acres: '10.0000', state: 'TX', county: 'Travis', lat: 30, lng: -97, zoning: 'AG' });
    await make('B', {
      acres: '40.5000',
      state: 'tx',
      county: 'Hays',
      postal_code: '78610',
      lat: 30,
      lng: -98,
    });
    await make('C', { category_id: timber.id, water_access: true, road_access: false, lat: -17, lng: 179.5 });
    await make('D', {
      auction_id: other.id,
      starting_bid_cents: 5_000,
      road_access: true,
      lat: -16,
      lng: -179,
    });
    await make('sold', { status: 'sold', bid_count: 2, current_bid_cents: 90_000 });
    await make('withdrawn', { status: 'withdrawn' });
    await make('draft', { status: 'draft' });
    for (const columns of [
      { status: 'draft' },
      { status: 'paused' },
      { privacy_setting: 'private' },
      { privacy_setting: 'unlisted' },
    ] as const) {
      const hidden = await anAuction(db, columns);
      const [name] = Object.values(columns);
      await make(`of ${name}`, { auction_id: hidden.id });
    }
  });
  after(() => service.close());

  const titles = async (query: string): Promise<string[]> => {
    const { status, body } = await service.get(`/api/v1/lots?${query}`);
    expect(status, query).to.equal(200);
    expect(body.data.total, query).to.equal(body.data.data.length);
    return body.data.data.map((row: JsonValue) => row.title).sort();
  };

  it('lists active lots of active public auctions by number, equal numbers by id', async () => {
    const { body } = await service.get('/api/v1/lots');
    expect(body.data.data.map((row: JsonValue) => row.title)).to.deep.equal(['A', 'D', 'B', 'C']);
    expect(body.data).to.include({ per_page: 15, total: 4 });
    expect(body.data.data[0]).to.deep.include({
      id: made['A']!.id,
      auction_id: auction.id,
      lot_number: 1,
      sku: '',
      starting_bid: '100.00',
      current_bid: '0.00',
      status: 'active',
      media: [],
      category: { id: land.id, name: land.name },
      acres: 10,
      end_time: '2036-07-12T10:00:00.000000Z',
    });
  });

  const FILTERS: readonly (readonly [query: () => string, titles: readonly string[]])[] = [
    [() => `auction_id=${auction.id}`, ['A', 'B', 'C']],
    [() => `category_id=${land.id}`, ['A', 'B', 'C']],
    [() => `category_id=${timber.id}`, ['C']],
    [() => 'category_id=999999', []],
    [() => 'min_acres=10', ['A', 'B']],
    [() => 'min_acres=10.0001', ['B']],
    [() => 'max_acres=10', ['A']],
    [() => 'state=TX', ['A', 'B']],
    [() => 'county=travis', ['A']],
    [() => 'county=travis&state=NM', []],
    [() => 'postal_code=78610', ['B']],
    [() => 'zoning=ag', ['A']],
    [() => 'water_access=true', ['C']],
    [() => 'road_access=false', ['C']],
    [() => 'road_access=1', ['D']],
    [() => 'min_price=100.00', ['A', 'B', 'C']],
    [() => 'max_price=99.99', ['D']],
    [() => 'min_price=50&max_price=50', ['D']],
    [() => 'status=sold&min_price=900', ['sold']],
    [() => 'ending_before=2036-07-12T10:00:00Z', []],
    [() => 'ending_before=2036-07-12T12:00:00.000001%2B02:00', ['A', 'B', 'C']],
    [() => 'bbox=-97,30,-97,30', ['A']],
    [() => 'bbox=-98,29,-97,31', ['A', 'B']],
    [() => 'bbox=179,-20,-179,-10', ['C', 'D']],
    [() => 'bbox=-179,-20,179,-10', ['D']],
    [() => 'bbox=-180,-90,180,90', ['A', 'B', 'C', 'D']],
    [() => 'status=sold', ['sold']],
    [() => 'status=withdrawn', ['withdrawn']],
    [() => 'status=passed', []],
    [() => 'status=all', ['A', 'B', 'C', 'D', 'of paused', 'sold', 'withdrawn']],
    [() => "state=TX' OR 1=1--", []],
  ];
  for (const [query, expected] of FILTERS) {
    it(`filters by ${query.toString().slice(6).slice(0, 60)}`, async () => {
      expect(await titles(query())).to.deep.equal(expected);
    });
  }

  it('shows nothing of hidden auctions, even when they are named', async () => {
    for (const name of ['of draft', 'of paused', 'of private', 'of unlisted']) {
      expect(await titles(`auction_id=${made[name]!.auction_id}`), name).to.deep.equal([]);
    }
  });

  it('sorts by each of its columns, equal keys by id in both directions', async () => {
    const by = async (query: string) =>
      (await service.get(`/api/v1/lots?${query}`)).body.data.data.map((row: JsonValue) => row.title).join('');
    expect(await by('sort_by=id')).to.equal('ABCD');
    expect(await by('sort_by=id&sort_dir=desc')).to.equal('DCBA');
    expect(await by('sort_by=title&sort_dir=desc')).to.equal('DCBA');
    expect(await by('sort_by=starting_bid')).to.equal('DABC');
    expect(await by('sort_by=starting_bid&sort_dir=desc')).to.equal('ABCD');
    expect(await by('sort_by=current_bid&sort_dir=desc')).to.equal('ABCD');
    expect(await by('sort_by=price')).to.equal('DABC');
    expect(await by('sort_by=price&sort_dir=desc&max_price=100')).to.equal('ABCD');
    expect(await by('sort_dir=desc')).to.equal('CBAD');
    const all = (await service.get('/api/v1/lots?status=all&sort_by=title&per_page=3&page=2')).body.data;
    expect(all.data.map((row: JsonValue) => row.title)).to.deep.equal(['D', 'of paused', 'sold']);
    expect(all.total).to.equal(7);
  });

  it('shows a bid at once in every list, and drops a lot that has just closed', async () => {
    const own = await anAuction(service.database, { title: 'Live' });
    const lot = await aLot(service.database, {
      auction_id: own.id,
      title: 'Live lot',
      lat: 1,
      lng: 1,
      buy_now_price_cents: 90_000,
    });
    const watcher = await aUser(service.database);
    const token = await service.tokenFor(watcher);
    const paths = [
      `/api/v1/lots?auction_id=${own.id}`,
      `/api/v1/auctions/${own.id}/lots`,
      `/api/v1/lots/geojson?auction_id=${own.id}`,
    ];
    const read = async (path: string) => {
      const { body } = await service.get(path);
      return (body.features?.map((feature: JsonValue) => feature.properties) ??
        body.data.data) as JsonValue[];
    };
    for (const path of paths) expect((await read(path))[0].current_bid).to.equal('0.00');
    await service.publish();
    const bid = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token,
      body: { amount: '123.00' },
    });
    expect(bid.status).to.equal(201);
    for (const path of paths) {
      expect((await read(path))[0]).to.include({ current_bid: '123.00', status: 'active' });
    }
    const second = await aLot(service.database, { auction_id: own.id, buy_now_price_cents: 90_000 });
    await service.publish();
    const bought = await service.call('POST', `/api/v1/lots/${second.id}/buy-now`, { token, body: {} });
    expect(bought.status).to.equal(201);
    const left = await read(`/api/v1/lots?auction_id=${own.id}&per_page=99`);
    expect(left.map((row) => row.id)).to.deep.equal([lot.id]);
    const detail = await service.get(`/api/v1/lots/${lot.id}`, token);
    expect(detail.body.data.viewer).to.deep.equal({
      is_watching: false,
      is_high_bidder: true,
      max_amount: '123.00',
    });
  });

  it('gives the map as GeoJSON, cut at its limit', async () => {
    const answer = await service.get(`/api/v1/lots/geojson?auction_id=${auction.id}&limit=2`);
    expect(answer.headers.get('content-type')).to.match(/^application\/geo\+json/);
    expect(answer.body.type).to.equal('FeatureCollection');
    expect(answer.body.features).to.have.length(2);
    expect(answer.body.features[0]).to.deep.equal({
      type: 'Feature',
      id: made['A']!.id,
      geometry: { type: 'Point', coordinates: [-97, 30] },
      properties: {
        lot_id: made['A']!.id,
        title: 'A',
        slug: made['A']!.slug,
        current_bid: '0.00',
        acres: 10,
        status: 'active',
        end_time: '2036-07-12T10:00:00.000000Z',
        thumbnail_url: null,
        currency: 'usd',
        starting_bid: '100.00',
        translations: {},
      },
    });
    const early = 'ending_before=0000-01-01T00:00:00Z';
    for (const query of ['limit=0', 'limit=1001', 'page=1', 'sort_by=id', 'per_page=5', early]) {
      expect((await service.get(`/api/v1/lots/geojson?${query}`)).status, query).to.equal(422);
    }
  });

  it('hides lots of drafts and of private auctions from strangers', async () => {
    for (const name of ['draft', 'of draft', 'of private']) {
      expect((await service.get(`/api/v1/lots/${made[name]!.id}`)).status, name).to.equal(404);
    }
    for (const name of ['A', 'sold', 'withdrawn', 'of unlisted']) {
      expect((await service.get(`/api/v1/lots/${made[name]!.id}`)).status, name).to.equal(200);
    }
  });

  const BAD: readonly string[] = [
    ...['0', '-1', '1000000000', 'abc', '1.5', '', '101', '9223372036854775808'].map((v) => `per_page=${v}`),
    ...['0', '-1', '9223372036854775808', '1e3', 'NaN', '0x1'].map((v) => `page=${v}`),
    'sort_by=id;drop table lots',
    'sort_by=reserve_price_cents',
    'sort_by=',
    'sort_dir=ASC',
    'status=draft',
    'status=',
    'unknown=1',
    'page=1&page=2',
    'auction_id=0',
    'auction_id=spring',
    'category_id=-5',
    'min_acres=ten',
    'min_acres=-1',
    'min_price=1.2345',
    'min_price=1e5',
    'max_price=-1',
    'water_access=maybe',
    'ending_before=tomorrow',
    'ending_before=2026-02-30T00:00:00Z',
    'ending_before=2026-07-12',
    'state=',
    `county=${'x'.repeat(201)}`,
    'state=%00',
    ...[
      '1,2,3',
      '1,2,3,4,5',
      'a,b,c,d',
      '0,10,1,5',
      '-181,0,1,1',
      '0,-91,1,1',
      '0,0,1,1e1',
      '0,0,,1',
      '',
    ].map((v) => `bbox=${v}`),
    'bbox=NaN,0,1,1',
    'bbox=%200,0,1,1',
  ];
  it('refuses everything else by name', async () => {
    const began = performance.now();
    for (const query of BAD) {
      const { status, body } = await service.get(`/api/v1/lots?${query}`);
      expect(status, query).to.equal(422);
      expect(body.code, query).to.equal('validation_failed');
      expect(Object.keys(body.errors), query).to.deep.equal([query.split('=')[0]]);
    }
    expect(performance.now() - began).to.be.below(5_000 * slowness());
  });

  it('is 404 where no lot can be', async () => {
    for (const id of ['0', '-1', 'abc', '1.5', '9223372036854775808', '999999', "1'", '%00', '1%20']) {
      expect((await service.get(`/api/v1/lots/${id}`)).status, id).to.equal(404);
    }
  });
});
