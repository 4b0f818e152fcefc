import { expect } from 'chai';
import { verifyPassword } from '../../../../src/accounts/people/password.ts';
import { TokenAuthenticator } from '../../../../src/accounts/tokens/token-cache.ts';
import { type ImportedRows, importMarketplace } from '../../../../src/tools/import/import-marketplace.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { slowness } from '../../../support/slowness.ts';
import { marketplace } from './a-marketplace.ts';

describe('importing a marketplace', () => {
  let database: MigratedDatabase;
  beforeEach(async () => {
    database = await migratedDatabase();
  });
  afterEach(() => database.drop());

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
    expect(auction).to.deep.include({
      conditions_version: 1,
      premium_bands: [{ from_cents: 0, percentage_bps: 1_250 }],
      viewings: [
        {
          from: '2026-12-01T15:00:00.000000Z',
          to: '2026-12-01T18:00:00.000000Z',
          place: 'At the gate',
          slot_minutes: null,
        },
      ],
    });
    const [first, second] = await knex('lots').where('auction_id', auction.id).orderBy('lot_number');
    expect(first).to.include({
      status: 'active',
      starting_bid_cents: 10_000,
      reserve_price_cents: 50_000,
      estimate_low: '400.00',
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
    expect(auction.simulcast_platforms, 'by default').to.deep.equal([]);
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
    const joe = await tokens.authenticate(answer.users['joe@example.com']!.tokens['staff']!, {
      ip: '192.0.2.1',
      secure: false,
    });
    await tokens.close();
    expect([...joe!.abilities]).to.deep.equal(['admin']);
    expect(joe!.teamIds).to.include(answer.teams['Acres']!);
    expect(
      (await knex('memberships').where({ team_id: answer.teams['Acres'], role: 'owner' }).first()).user_id,
    ).to.equal(answer.users['sam@example.com']?.id);
  });

  it('loaded again, updates what has the same name, duplicates no token, and adds the auctions', async () => {
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
    await knex('simulcast_platforms').insert({ slug: 'hall', sealed_secret: 'none' });
    const autumn = { ...auctions[0], slug: 'autumn-land', simulcast_platforms: ['hall'] };
    const second = await importMarketplace(knex, { auctions: [autumn] });
    expect(second.users).to.deep.equal({});
    const made = await knex('auctions').where('slug', 'autumn-land').first();
    expect(made.simulcast_platforms).to.deep.equal(['hall']);
    expect(made).to.include({
      team_id: first.teams['Acres'],
      category_id: first.categories['land'],
    });
  });

  it('calls afterImport once it is committed, with what changed', async () => {
    const { knex } = database.db;
    let imported: ImportedRows | null = null;
    const answer = await importMarketplace(knex, marketplace(), {
      async afterImport(rows) {
        imported = rows;
        expect(await knex('auctions').whereIn('id', [...rows.auctionIds])).to.have.length(2);
      },
    });
    expect(imported!).to.deep.include({
      verifiedUserIds: [answer.users['ann@example.com']?.id],
      approvedTeamIds: [answer.teams['Acres']],
    });
  });

  it('is all or nothing, even when the database refuses', async () => {
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

  it('loads 10,000 lots in seconds, with progress', async () => {
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
    expect(performance.now() - started).to.be.below(25_000 * slowness());
    expect(Object.keys(answer.auctions['big']!.lots)).to.have.length(10_000);
    expect(seen.length).to.be.above(10);
    expect(seen.at(-1)).to.equal(1);
  });
});
