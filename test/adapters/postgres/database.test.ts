import { expect } from 'chai';
import { readTimestamp } from '../../../adapters/postgres/column-types.ts';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { MIGRATIONS, migrateToLatest, migrationsCurrent } from '../../../adapters/postgres/migrate.ts';
import { type FreshDatabase, freshDatabase } from '../../support/servers.ts';

describe('Postgres', () => {
  let fresh: FreshDatabase;
  let db: Database;
  before(async () => {
    fresh = await freshDatabase();
    db = openDatabase(fresh.databaseUrl);
  });
  after(async () => {
    await db.close();
    await fresh.drop();
  });

  it('reads moments with microseconds, bigints as numbers and decimals as text', async () => {
    const { rows } = await db.knex.raw(
      `select '2026-07-12 12:00:00.1234+02'::timestamptz as moment, '2026-07-12T10:00:00Z'::timestamptz as whole,
         array['2026-07-12T10:00:00Z'::timestamptz, null] as moments, 9007199254740991::int8 as big,
         array[1, 2]::int8[] as bigs, 1.5000::numeric(8, 4) as decimal, '2026-07-12'::date as day, null::timestamptz as none`,
    );
    expect(rows[0]).to.deep.equal({
      moment: '2026-07-12T10:00:00.123400Z',
      whole: '2026-07-12T10:00:00.000000Z',
      moments: ['2026-07-12T10:00:00.000000Z', null],
      big: Number.MAX_SAFE_INTEGER,
      bigs: [1, 2],
      decimal: '1.5000',
      day: '2026-07-12',
      none: null,
    });
  });

  it('does not change text that is not a moment of a UTC session', () => {
    expect(readTimestamp('infinity')).to.equal('infinity');
  });

  it('cancels a statement that takes too long', async () => {
    const impatient = openDatabase(fresh.databaseUrl, { max: 1, statementTimeoutMs: 50 });
    const failure = await impatient.knex
      .raw('select pg_sleep(5)')
      .catch((error: { code: string }) => error.code);
    await impatient.close();
    expect(failure).to.equal('57014');
  });

  it('says where it could not reach Postgres, without the password', async () => {
    const nowhere = openDatabase('postgres://me:secret@127.0.0.1:1/rostrum');
    const message = await nowhere.ready().then(
      () => 'reached',
      (error: Error) => error.message,
    );
    await nowhere.close();
    expect(message).to.include('127.0.0.1:1/rostrum').and.include('ECONNREFUSED').and.not.include('secret');
  });

  it('migrates once however many ask, forgets a lock that a killed process left, and goes all the way back', async () => {
    expect(await migrationsCurrent(db)).to.equal(false);
    const ran = await Promise.all([migrateToLatest(db), migrateToLatest(db), migrateToLatest(db)]);
    expect(ran.filter((names) => names.length > 0)).to.have.length(1);
    expect(await migrationsCurrent(db)).to.equal(true);
    await db.knex('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrateToLatest(db)).to.deep.equal([]);
    await db.knex.migrate.rollback({ migrationSource: MIGRATIONS }, true);
    expect(await migrationsCurrent(db)).to.equal(false);
    const { rows } = await db.knex.raw(
      "select table_name from information_schema.tables where table_schema = 'public' and table_name not like 'knex%'",
    );
    expect(rows).to.deep.equal([]);
    expect(await migrateToLatest(db)).to.include('20261128_002_accounts');
  });
});
