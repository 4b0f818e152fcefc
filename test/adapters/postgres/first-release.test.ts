/** A database from before the first release is taken over as it is where it is at the last schema of then. */
import { expect } from 'chai';
import { OldSchemaError } from '../../../adapters/postgres/first-release.ts';
import { migrateToLatest, migrationNames, migrationsCurrent } from '../../../adapters/postgres/migrate.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { runCommand } from '../../support/commands.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';
import { OLD_MIGRATIONS } from '../../support/old-migrations.ts';

/** The last migration of the first release; what came later runs on what was taken over. */
const LAST = '20261128_017_operations';

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
    const later = (await migrationNames()).filter((name) => name > LAST);
    for (const name of later.toReversed()) await (await import(`../../../migrations/${name}.ts`)).down(knex);
    // SQL: how the schema of then differs.
    await knex.raw(`ALTER TABLE journal_meta DROP COLUMN layout, ADD COLUMN bids_share_rows boolean NOT NULL DEFAULT false;
      CREATE VIEW outbid_mails AS SELECT user_id FROM mail_recipients`);
    await knownAs(OLD_MIGRATIONS);
    await knex('journal_meta').insert({ epoch: 'of then', shards: 1, bids_share_rows: false });
    const unfinished = await migrateToLatest(database.db).catch((error: Error) => error);
    expect(unfinished)
      .to.be.instanceOf(OldSchemaError)
      .with.property('message')
      .match(/migrate --finish/);
    await knex('journal_meta').update({ bids_share_rows: true });
    const lots = [await aLot(database.db), await aLot(database.db)].map(({ id }) => id);
    const notice = (kind: string, lot_id: number | undefined, data: object) => ({
      ...{ user_id: user.id, kind, key: `${kind}-${lot_id}`, lot_id, data: JSON.stringify(data) },
    });
    await knex('notifications').insert([
      ...lots.map((lotId) => notice('outbid', lotId, {})),
      notice('ending_soon', lots[0], { title: 'One' }),
      notice('ending_soon', lots[1], { title: 'A sale', lots: [] }),
    ]);
    await knex('outbid_notices').insert({
      user_id: user.id,
      lot_id: lots[0],
      current_bid_cents: 7,
      on_page: true,
    });
    expect(await migrationsCurrent(database.db)).to.equal(false);
    expect(await migrateToLatest(database.db)).to.deep.equal(later);
    expect(await listed()).to.deep.equal(await migrationNames());
    expect(await migrationsCurrent(database.db)).to.equal(true);
    expect(await knex('users').where({ id: user.id }).pluck('email')).to.have.length(1);
    expect(Object.keys(await knex('journal_meta').columnInfo()))
      .to.include('layout')
      .and.not.include('bids_share_rows');
    expect(await knex.schema.hasTable('outbid_mails')).to.equal(false);
    // One notice of each lot, the newer one where there were two; none that nobody can read any more.
    expect(await knex('outbid_notices').orderBy('lot_id').pluck('lot_id')).to.deep.equal(lots);
    expect(await knex('outbid_notices').where('lot_id', lots[0]).pluck('current_bid_cents')).to.deep.equal([
      7,
    ]);
    expect(await knex('notifications').pluck('lot_id')).to.deep.equal([lots[1]]);
    expect(await migrateToLatest(database.db)).to.deep.equal([]);
  });

  it('that has run only some of them is left as it is, with the commit that has the rest', async () => {
    const other = [...OLD_MIGRATIONS.slice(0, 136), '20261127_552_of_another_branch'];
    for (const names of [OLD_MIGRATIONS.slice(0, 136), OLD_MIGRATIONS.slice(1), other]) {
      await knownAs(names);
      const { code, err } = await runCommand(['migrate'], { DATABASE_URL: database.databaseUrl });
      expect(code, err).to.equal(1);
      expect(err).to.match(
        /^rostrum: DATABASE_URL: not all migrations from before the first release have run: run `rostrum migrate` of commit [0-9a-f]{8,} first/,
      );
      expect(await listed()).to.deep.equal(names);
    }
  });
});
