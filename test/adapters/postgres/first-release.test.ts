/** A database from before the first release is taken over as it is where it is at the last schema of then. */
import { expect } from 'chai';
import { migrateToLatest, migrationNames, migrationsCurrent } from '../../../adapters/postgres/migrate.ts';
import { aUser } from '../../support/builders.ts';
import { runCommand } from '../../support/commands.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';
import { OLD_MIGRATIONS } from '../../support/old-migrations.ts';

describe('a database from before the first release', () => {
  let database: MigratedDatabase;
  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  const knownAs = async (names: readonly string[]) => {
    const { knex } = database.db;
    await knex('knex_migrations').delete();
    await knex('knex_migrations').insert(names.map((name) => ({ name })));
  };
  const listed = () => database.db.knex('knex_migrations').orderBy('id').pluck('name');

  it('that has run all migrations of then has all of this release, and keeps its rows', async () => {
    const { knex } = database.db;
    const user = await aUser(database.db);
    // SQL: how the schema of then differs.
    await knex.raw(`ALTER TABLE journal_meta DROP COLUMN layout, ADD COLUMN bids_share_rows boolean NOT NULL DEFAULT false;
      CREATE VIEW outbid_mails AS SELECT user_id FROM mail_recipients`);
    await knownAs(OLD_MIGRATIONS);
    expect(await migrationsCurrent(database.db)).to.equal(false);
    expect(await migrateToLatest(database.db)).to.deep.equal([]);
    expect(await listed()).to.deep.equal(await migrationNames());
    expect(await migrationsCurrent(database.db)).to.equal(true);
    expect(await knex('users').where({ id: user.id }).pluck('email')).to.have.length(1);
    expect(Object.keys(await knex('journal_meta').columnInfo()))
      .to.include('layout')
      .and.not.include('bids_share_rows');
    expect(await knex.schema.hasTable('outbid_mails')).to.equal(false);
    expect(await migrateToLatest(database.db)).to.deep.equal([]);
  });

  it('that has run only some of them is left as it is, with the commit that has the rest', async () => {
    for (const names of [OLD_MIGRATIONS.slice(0, 136), OLD_MIGRATIONS.slice(1)]) {
      await knownAs(names);
      const { code, err } = await runCommand(['migrate'], { DATABASE_URL: database.databaseUrl });
      expect(code, err).to.equal(1);
      expect(err).to.match(
        /^rostrum: DATABASE_URL: 136 of the 137 migrations from before the first release have run; run `rostrum migrate` of commit [0-9a-f]{8,} first/,
      );
      expect(await listed()).to.deep.equal(names);
    }
  });
});
