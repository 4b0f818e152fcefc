/**
 * Search as people expect it: a table of queries with the first results that each must give, for lots and for
 * auctions.
 */
import { expect } from 'chai';
import { aLot, anAuction } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';
import { slowness } from '../../support/slowness.ts';

/** Lots in the order of their numbers; a title may be followed by other fields. */
const LOTS: readonly (readonly [title: string, more?: Record<string, string>])[] = [
  ['Land'],
  ['Land Rover Defender 110'],
  ['40 acres of land near Austin', { county: 'Travis', state: 'TX' }],
  ['Landlocked parcel'],
  ['Island retreat'],
  ['John Deere 4020 tractor', { sku: 'JD-4020-A' }],
  ['Tractor, Kubota L2501'],
  ['Kubota excavator KX040'],
  ['Deere skull mount'],
  ['Café de la Plage sign'],
  ['CAFE RACER motorcycle'],
  ['Ångström measuring set'],
  ['Straße sign, enamel'],
  ["O'Brien's saddle"],
  ['Lincoln County ranch', { county: 'Lincoln', state: 'NM' }],
  ['Ranch gate, wrought iron'],
  ['Cattle trailer (16 ft)', { description: 'Sleeps nobody; hauls ten head of Angus.' }],
  ['Grain bin 5,000 bu.'],
  ['50% share in a grain elevator'],
  ['C:\\temp poster'],
  ['Under_score print'],
  ['Мотоцикл Урал'],
  ['日本 刀'],
  ['Quiet hunting cabin', { description: 'On forty wooded acres of land with a creek.' }],
  ['Hunting blind'],
];

const TABLE: readonly (readonly [search: string, first: readonly string[]])[] = [
  ['land', ['Land', 'Land Rover Defender 110', 'Landlocked parcel']],
  ['LAND', ['Land', 'Land Rover Defender 110', 'Landlocked parcel']],
  ['lan', ['Land', 'Land Rover Defender 110', 'Landlocked parcel']],
  ['land rover', ['Land Rover Defender 110']],
  ['rover land', ['Land Rover Defender 110']],
  ['acres land', ['40 acres of land near Austin', 'Quiet hunting cabin']],
  ['40 acres', ['40 acres of land near Austin']],
  ['tractor', ['Tractor, Kubota L2501', 'John Deere 4020 tractor']],
  ['kubota', ['Kubota excavator KX040', 'Tractor, Kubota L2501']],
  ['kubota tractor', ['Tractor, Kubota L2501']],
  ['deere', ['Deere skull mount', 'John Deere 4020 tractor']],
  ['john deere', ['John Deere 4020 tractor']],
  ['jd-4020', ['John Deere 4020 tractor']],
  ['cafe', ['Café de la Plage sign', 'CAFE RACER motorcycle']],
  ['CAFÉ', ['Café de la Plage sign', 'CAFE RACER motorcycle']],
  ['angstrom', ['Ångström measuring set']],
  ['strasse', ['Straße sign, enamel']],
  ["o'brien", ["O'Brien's saddle"]],
  ['obriens', ["O'Brien's saddle"]],
  ['ranch', ['Ranch gate, wrought iron', 'Lincoln County ranch']],
  ['lincoln nm', ['Lincoln County ranch']],
  ['angus', ['Cattle trailer (16 ft)']],
  ['5,000', ['Grain bin 5,000 bu.']],
  ['50%', ['50% share in a grain elevator']],
  ['c:\\temp', ['C:\\temp poster']],
  ['урал', ['Мотоцикл Урал']],
  ['日本', ['日本 刀']],
  ['traktor', ['John Deere 4020 tractor', 'Tractor, Kubota L2501']],
  ['sland', ['Island retreat', 'Land', 'Land Rover Defender 110']],
  ['hunting', ['Hunting blind', 'Quiet hunting cabin']],
  ['  hunting   cabin ', ['Quiet hunting cabin']],
  ['nothing like this', []],
];

describe('search', () => {
  let service: Service;

  before(async () => {
    service = await startService();
    const auction = await anAuction(service.database, { title: 'Everything' });
    for (const [title, more] of LOTS) {
      await aLot(service.database, { auction_id: auction.id, title, ...more });
    }
  });
  after(() => service.close());

  const find = async (path: string, search: string, more = '') => {
    const answer = await service.get(`${path}?search=${encodeURIComponent(search)}${more}`);
    expect(answer.status, search).to.equal(200);
    return answer.body.data as JsonValue;
  };
  const titlesOf = (page: JsonValue): string[] => page.data.map((row: JsonValue) => row.title);

  for (const [search, first] of TABLE) {
    it(`finds lots for “${search}”`, async () => {
      const page = await find('/api/v1/lots', search);
      expect(titlesOf(page).slice(0, 3)).to.deep.equal(first);
      expect(page.total).to.equal(page.data.length);
    });
  }

  it('finds auctions by the same rules, in titles alone', async () => {
    const db = service.database;
    for (const title of ['Spring land', 'Land', 'Landmark sale', 'Été au château', 'Farm auction']) {
      await anAuction(db, { title, description: 'Land of every kind' });
    }
    const of = async (search: string) => titlesOf(await find('/api/v1/auctions', search));
    expect(await of('land')).to.deep.equal(['Land', 'Landmark sale', 'Spring land']);
    expect(await of('ete chateau')).to.deep.equal(['Été au château']);
    expect(await of('frm')).to.deep.equal([]);
    expect(await of('pring')).to.deep.equal(['Spring land']);
    expect(await of('farm auctoin')).to.deep.equal(['Farm auction']);
  });

  it('keeps an order that was requested', async () => {
    const page = await find('/api/v1/lots', 'land', '&sort_by=lot_number&sort_dir=desc');
    const numbers: number[] = page.data.map((row: JsonValue) => row.lot_number);
    expect(numbers).to.deep.equal([...numbers].sort((a, b) => b - a));
    expect(numbers).to.have.length(5);
  });

  it('sees new words of a lot at once, and forgets old ones', async () => {
    const lot = await aLot(service.database, { title: 'Zebra crossing' });
    expect(titlesOf(await find('/api/v1/lots', 'zebra'))).to.deep.equal(['Zebra crossing']);
    await service.database.knex('lots').where('id', lot.id).update({ title: 'Giraffe house' });
    expect(titlesOf(await find('/api/v1/lots', 'giraffe'))).to.deep.equal(['Giraffe house']);
    expect(titlesOf(await find('/api/v1/lots', 'zebr'))).to.deep.equal([]);
  });

  it('treats signs without words as words that match nothing', async () => {
    for (const search of ['%', '_', '\\', "'", '"', '--', '* & | !', ':*', '(', '🤠', '%%%%%', "';--"]) {
      expect(titlesOf(await find('/api/v1/lots', search)), search).to.deep.equal([]);
      expect(titlesOf(await find('/api/v1/auctions', search)), search).to.deep.equal([]);
    }
  });

  it('filters nothing where nothing was asked', async () => {
    expect((await find('/api/v1/lots', '   ')).total).to.be.at.least(LOTS.length);
  });

  it('refuses impossible searches, quickly', async () => {
    const began = performance.now();
    for (const path of ['/api/v1/lots', '/api/v1/auctions', '/api/v1/lots/geojson']) {
      for (const search of ['%00', 'a%00b', 'x'.repeat(10_000), 'x '.repeat(5_000), '%ff']) {
        const { status, body } = await service.get(`${path}?search=${search.replaceAll(' ', '%20')}`);
        expect(status, search.slice(0, 10)).to.equal(422);
        expect(body.errors.search).to.be.an('array');
      }
      const many = await service.get(`${path}?search=${'ab%20'.repeat(150)}`);
      expect(many.status).to.equal(200);
    }
    expect(performance.now() - began).to.be.below(3_000 * slowness());
  });
});
