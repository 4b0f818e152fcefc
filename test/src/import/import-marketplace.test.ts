import { expect } from 'chai';
import { verifyPassword } from '../../../src/accounts/password.ts';
import { type ImportedRows, importMarketplace } from '../../../src/import/import-marketplace.ts';
import { ImportError } from '../../../src/import/places.ts';
import { TokenAuthenticator } from '../../../src/tokens/token-cache.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';

const LAND_SCHEMA = {
  type: 'object',
  properties: { soil: { type: 'string' }, wells: { type: 'integer', minimum: 0 } },
  required: ['soil'],
};

function marketplace() {
  return {
    users: [
      {
        email: 'Ann@Example.com',
        name: 'Ann',
        password: 'correct horse',
        verified: true,
        tokens: [{ name: 'main', abilities: ['read', 'write'] }],
      },
      { email: 'sam@example.com' },
      { email: 'joe@example.com', admin: true, tokens: [{ name: 'staff', abilities: ['admin'] }] },
    ],
    teams: [
      {
        name: 'Acres',
        owner: 'sam@example.com',
        members: [{ email: 'joe@example.com', role: 'member' }],
        approved: true,
      },
    ],
    categories: [
      { slug: 'ranches', name: 'Ranches', parent: 'land', schema: {} },
      {
        slug: 'land',
        name: 'Land',
        parent: null,
        position: 1,
        schema: LAND_SCHEMA,
        ui_schema: { soil: 'text' },
      },
    ],
    auctions: [
      {
        title: 'Spring land',
        team: 'Acres',
        category: 'land',
        status: 'active',
        start_time: '2026-01-01T00:00:00Z',
        end_time: '2027-01-01T01:00:00.5+01:00',
        buyer_premium_percentage: '12.50',
        increments: [
          { from: '0.00', increment: '1.00' },
          { from: 50, increment: 2.5 },
        ],
        soft_close: { window_seconds: 60, extension_seconds: 30 },
        registration: { mode: 'deposit', deposit_amount: '100.00', bid_limit: '5000' },
        lots: [
          {
            lot_number: 7,
            title: '40 acres',
            starting_bid: '100.00',
            reserve_price: '500.00',
            location: { state: 'TX', country: 'US', lat: 31.5, lng: -97.25 },
            land: { acres: 40.1234, utilities: ['power'], water_access: true },
            custom_fields: { soil: 'loam', wells: 2 },
          },
          {
            title: 'The next',
            starting_bid: 10,
            custom_fields: { soil: 'clay' },
            category: 'ranches',
            consignor: 'ann@example.com',
          },
        ],
      },
      {
        title: 'Spring land',
        user: 'ann@example.com',
        start_time: '2026-05-01T00:00:00Z',
        end_time: '2026-05-02T00:00:00Z',
        soft_close: null,
        lots: [{ title: 'A chair', starting_bid: '0.01' }],
      },
    ],
    plans: [
      {
        slug: 'pro',
        name: 'Pro',
        price_monthly: 49,
        price_yearly: '490.00',
        features: ['a'],
        limits: { auctions: 5 },
        commission_percentage: '2.5',
      },
    ],
    platforms: [
      { slug: 'lands-of', name: 'Lands of', supports: ['lots'], website_url: 'https://lands.example' },
    ],
    help: [
      {
        slug: 'bidding',
        name: 'Bidding',
        position: 1,
        articles: [{ slug: 'first', title: 'First bid', body: 'Do this.' }],
      },
    ],
  };
}

describe('importing a marketplace', () => {
  let database: MigratedDatabase;
  beforeEach(async () => {
    database = await migratedDatabase();
  });
  afterEach(() => database.drop());

  const placesOf = async (document: unknown): Promise<string[]> => {
    try {
      await importMarketplace(database.db.knex, document);
    } catch (error) {
      expect(error).to.be.instanceOf(ImportError);
      return (error as ImportError).places.map((place) => `${place.path}: ${place.message}`);
    }
    throw new Error('the import went through');
  };

  it('answers with the ids and tokens of everything, under the names of the file', async () => {
    const answer = await importMarketplace(database.db.knex, marketplace());
    expect(answer.users).to.have.all.keys('ann@example.com', 'sam@example.com', 'joe@example.com');
    expect(answer.users['sam@example.com']?.tokens).to.deep.equal({});
    expect(answer.users['ann@example.com']?.tokens['main']).to.match(/^rst_[\w-]{43}$/);
    expect(answer.teams).to.have.all.keys('Acres');
    expect(answer.categories).to.have.all.keys('land', 'ranches');
    expect(answer.auctions).to.have.all.keys('spring-land', 'spring-land-2');
    expect(answer.auctions['spring-land']?.lots).to.have.all.keys('7', '8');
  });

  it('stores every field', async () => {
    const { knex } = database.db;
    const answer = await importMarketplace(knex, marketplace());
    const auction = await knex('auctions').where('slug', 'spring-land').first();
    expect(auction).to.include({
      team_id: answer.teams['Acres'],
      user_id: null,
      status: 'active',
      start_time: '2026-01-01T00:00:00.000000Z',
      end_time: '2027-01-01T00:00:00.500000Z',
      buyer_premium_bps: 1250,
      soft_close_window_seconds: 60,
      soft_close_extension_seconds: 30,
      registration_mode: 'deposit',
      registration_deposit_cents: 10_000,
      registration_bid_limit_cents: 500_000,
      category_id: answer.categories['land'],
    });
    expect(auction.increments).to.deep.equal([
      { from_cents: 0, increment_cents: 100 },
      { from_cents: 5000, increment_cents: 250 },
    ]);
    const [first, second] = await knex('lots').where('auction_id', auction.id).orderBy('lot_number');
    expect(first).to.include({
      status: 'active',
      starting_bid_cents: 10_000,
      reserve_price_cents: 50_000,
      acres: '40.1234',
      lat: 31.5,
      water_access: true,
      road_access: null,
      slug: `40-acres-${first.id}`,
    });
    expect(first.utilities).to.deep.equal(['power']);
    expect(first.custom_fields).to.deep.equal({ soil: 'loam', wells: 2 });
    expect(second).to.include({
      lot_number: 8,
      starting_bid_cents: 1000,
      category_id: answer.categories['ranches'],
      consignor_id: answer.users['ann@example.com']?.id,
    });
    const owned = await knex('auctions').where('slug', 'spring-land-2').first();
    const [personal] = await knex('teams').where('personal_user_id', answer.users['ann@example.com']?.id);
    expect(owned).to.include({
      user_id: answer.users['ann@example.com']?.id,
      team_id: personal.id,
      status: 'draft',
    });
    expect(owned.soft_close_window_seconds).to.equal(null);
    expect(await knex('lots').where('auction_id', owned.id).first()).to.include({
      status: 'draft',
      category_id: null,
    });
    expect(await knex('plans').first()).to.include({
      price_monthly_cents: 4900,
      price_yearly_cents: 49_000,
      commission_bps: 250,
    });
    expect(await knex('help_articles').first()).to.include({ title: 'First bid', position: 0 });
  });

  it('makes accounts that work: password, verification, tokens, roles', async () => {
    const { knex } = database.db;
    const answer = await importMarketplace(knex, marketplace());
    const ann = await knex('users').where('email', 'ann@example.com').first();
    expect(await verifyPassword('correct horse', ann.password_hash)).to.equal(true);
    expect(ann.verification_status).to.equal('verified');
    const tokens = new TokenAuthenticator(knex);
    const joe = await tokens.authenticate(answer.users['joe@example.com']!.tokens['staff']!);
    await tokens.close();
    expect([...joe!.abilities]).to.deep.equal(['admin']);
    expect(joe!.teamIds).to.include(answer.teams['Acres']!);
    expect(
      (await knex('memberships').where({ team_id: answer.teams['Acres'], role: 'owner' }).first()).user_id,
    ).to.equal(answer.users['sam@example.com']?.id);
  });

  it('loaded again, updates what has the same name, makes no token twice, and adds the auctions', async () => {
    const { knex } = database.db;
    const first = await importMarketplace(knex, marketplace());
    const changed = marketplace();
    changed.users[0]!.name = 'Ann Two';
    changed.categories[1]!.name = 'All land';
    changed.plans[0]!.name = 'Pro plus';
    const second = await importMarketplace(knex, changed);
    expect(second.users['ann@example.com']).to.deep.equal({
      id: first.users['ann@example.com']?.id,
      tokens: {},
    });
    expect(second.teams).to.deep.equal(first.teams);
    expect(second.categories).to.deep.equal(first.categories);
    expect(second.auctions).to.have.all.keys('spring-land-3', 'spring-land-4');
    expect((await knex('users').where('email', 'ann@example.com').first()).name).to.equal('Ann Two');
    expect((await knex('categories').where('slug', 'land').first()).name).to.equal('All land');
    expect(await knex('plans').pluck('name')).to.deep.equal(['Pro plus']);
    expect(await knex('tokens').pluck('name')).to.have.members(['main', 'staff']);
    expect(await knex('help_articles').pluck('slug')).to.deep.equal(['first']);
  });

  it('refers to what is there already', async () => {
    const { knex } = database.db;
    const first = await importMarketplace(knex, marketplace());
    const { auctions } = marketplace();
    const second = await importMarketplace(knex, { auctions: [{ ...auctions[0], slug: 'autumn-land' }] });
    expect(second.users).to.deep.equal({});
    expect(await knex('auctions').where('slug', 'autumn-land').first()).to.include({
      team_id: first.teams['Acres'],
      category_id: first.categories['land'],
    });
  });

  it('calls afterImport once it is committed, with what changed', async () => {
    const { knex } = database.db;
    let told: ImportedRows | null = null;
    const answer = await importMarketplace(knex, marketplace(), {
      async afterImport(rows) {
        told = rows;
        expect(await knex('auctions').whereIn('id', [...rows.auctionIds])).to.have.length(2);
      },
    });
    expect(told!).to.deep.include({
      verifiedUserIds: [answer.users['ann@example.com']?.id],
      approvedTeamIds: [answer.teams['Acres']],
    });
  });

  it('names every wrong place and loads nothing', async () => {
    const document = {
      ...marketplace(),
      users: [
        { email: 'no address' },
        { email: 'a@b.c' },
        { email: 'A@b.c', tokens: [{ name: 'x', abilities: ['admin'] }] },
      ],
      teams: [{ name: 'Nobody', owner: 'ghost@example.com' }, { name: 'New' }],
      categories: [
        { slug: 'one', name: 'One', parent: 'two' },
        { slug: 'two', name: 'Two', parent: 'one' },
        {
          slug: 'three',
          name: 'Three',
          parent: 'nowhere',
          schema: { properties: { a: { type: 'nonsense' } } },
        },
      ],
      auctions: [
        {
          title: 'Wrong',
          start_time: '2026-02-30T00:00:00Z',
          end_time: '2026-01-01T00:00:00Z',
          timezone: 'Mars/Olympus',
          status: 'scheduled',
          increments: [{ from: '1.00', increment: '0' }],
          lots: [
            { title: 'x', starting_bid: 0, custom_fields: { free: 1 } },
            { title: 'y', starting_bid: 1.234, lot_number: 3, status: 'active', category: 'none' },
            { title: 'z', starting_bid: '5', lot_number: 3, location: { lat: 1 } },
          ],
        },
      ],
    };
    const places = await placesOf(document);
    const paths = places.map((place) => place.split(':')[0]);
    expect(paths).to.include.members([
      'users[0].email',
      'users[2].email',
      'users[2].tokens[0].abilities',
      'teams[0].owner',
      'teams[1].owner',
      'categories[0].parent',
      'categories[1].parent',
      'categories[2].parent',
      'categories[2].schema',
      'auctions[0].start_time',
      'auctions[0].timezone',
      'auctions[0].team',
      'auctions[0].increments[0].from',
      'auctions[0].increments[0].increment',
      'auctions[0].lots[0].starting_bid',
      'auctions[0].lots[0].custom_fields.free',
      'auctions[0].lots[1].starting_bid',
      'auctions[0].lots[1].status',
      'auctions[0].lots[1].category',
      'auctions[0].lots[2].lot_number',
      'auctions[0].lots[2].location.lng',
    ]);
    expect(await database.db.knex('users')).to.have.length(0);
    expect(await database.db.knex('plans')).to.have.length(0);
  });

  it('names places that do not fit the schema, unknown fields among them', async () => {
    const places = await placesOf({
      users: [{ email: 'a@example.com', nickname: 'x', password: 'short' }],
      auctions: [
        {
          title: 'T',
          user: 'a@example.com',
          end_time: 'tomorrow',
          lots: [{ title: 'L', starting_bid: '-5' }, {}],
        },
      ],
      nonsense: [],
      plans: [{ slug: 'Not A Slug', name: 'a\u0000b' }],
    });
    expect(places.map((place) => place.split(':')[0])).to.have.members([
      'nonsense',
      'users[0].nickname',
      'users[0].password',
      'auctions[0].start_time',
      'auctions[0].end_time',
      'auctions[0].lots[0].starting_bid',
      'auctions[0].lots[1].title',
      'auctions[0].lots[1].starting_bid',
      'plans[0].slug',
      'plans[0].name',
    ]);
  });

  it('names mistakes of both kinds at once, and none twice', async () => {
    const places = await placesOf({
      users: [
        { email: 5, tokens: [null, { name: 'x', abilities: ['admin'] }] },
        null,
        { email: 'no address', zip: 1 },
      ],
      teams: 'none',
      categories: [{ slug: 'a', name: 'A', parent: 'nowhere', schema: 5 }],
      auctions: [
        {
          title: 7,
          user: 'ghost@example.com',
          status: 'open',
          start_time: '2026-01-01T00:00:00Z',
          end_time: 'late',
          increments: [null, { from: '5', increment: '1' }],
          lots: [
            null,
            {
              title: 'L',
              starting_bid: '0',
              status: 'active',
              category: 'none',
              land: { acres: 'many' },
              custom_fields: 3,
            },
          ],
        },
      ],
    });
    expect(places.map((place) => place.split(':')[0])).to.have.members([
      'users[0].email',
      'users[0].tokens[0]',
      'users[1]',
      'users[2].zip',
      'users[2].email',
      'teams',
      'categories[0].schema',
      'categories[0].parent',
      'auctions[0].title',
      'auctions[0].user',
      'auctions[0].status',
      'auctions[0].end_time',
      'auctions[0].increments[0]',
      'auctions[0].lots[0]',
      'auctions[0].lots[1].starting_bid',
      'auctions[0].lots[1].category',
      'auctions[0].lots[1].land.acres',
      'auctions[0].lots[1].custom_fields',
    ]);
  });

  it('is all or nothing, also when the database refuses', async () => {
    const { knex } = database.db;
    await knex.raw("alter table lots add constraint test_refuses check (title <> 'A chair')");
    let failure: unknown;
    await importMarketplace(knex, marketplace()).catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.instanceOf(Error);
    for (const table of ['users', 'teams', 'categories', 'auctions', 'lots', 'tokens']) {
      expect(await knex(table), table).to.have.length(0);
    }
  });

  it('two at the same moment both go through', async () => {
    const { knex } = database.db;
    const answers = await Promise.all([
      importMarketplace(knex, marketplace()),
      importMarketplace(knex, marketplace()),
    ]);
    const slugs = answers.flatMap((answer) => Object.keys(answer.auctions));
    expect(slugs).to.have.members(['spring-land', 'spring-land-2', 'spring-land-3', 'spring-land-4']);
    expect(answers[0]?.teams).to.deep.equal(answers[1]?.teams);
  });

  it('loads 10,000 lots in seconds, with progress', async function () {
    this.timeout(30_000);
    const lots = Array.from({ length: 10_000 }, (_, index) => ({
      title: 'Same title',
      starting_bid: '1.00',
      sku: `S${index}`,
    }));
    const auction = {
      title: 'Big',
      user: 'a@example.com',
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2027-01-01T00:00:00Z',
      lots,
    };
    const seen: number[] = [];
    const started = performance.now();
    const answer = await importMarketplace(
      database.db.knex,
      { users: [{ email: 'a@example.com' }], auctions: [auction] },
      { onProgress: (done, total) => seen.push(done / total) },
    );
    expect(performance.now() - started).to.be.below(25_000);
    expect(Object.keys(answer.auctions['big']!.lots)).to.have.length(10_000);
    expect(seen.length).to.be.above(10);
    expect(seen.at(-1)).to.equal(1);
  });
});
