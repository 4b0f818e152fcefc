/**
 * Databases from before the first release. Its schema took 137 migrations then; those of today make the same one. A
 * database, or a backup, in which all of the old ones have run is taken as it is.
 */
import type { Knex } from 'knex';

const OLD = { count: 137, last: '20261127_551_told_in_translation', commit: 'b7f31946' };
/** The first and the last migration of the first release; later ones run on what was taken over. */
export const FIRST = '20261128_001_texts';
const LAST = '20261128_017_operations';

/** A database that this program cannot bring up to date. The message says what can. */
export class OldSchemaError extends Error {
  override readonly name = 'OldSchemaError';
}

/** What has run, in the names of this program's migrations (`own`); null for a part of the old ones. */
export function namedAnew(done: readonly string[], own: readonly string[]): readonly string[] | null {
  const old = done.filter((name) => name < FIRST);
  if (old.length === 0) return done;
  return old.length === OLD.count && old.includes(OLD.last) ? own.filter((name) => name <= LAST) : null;
}

/** Writes the list of what has run anew where it is one from before the first release. */
export async function takeOver(knex: Knex, own: readonly string[]): Promise<void> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return;
  const done: string[] = await knex('knex_migrations').pluck('name');
  const names = namedAnew(done, own);
  if (names === done) return;
  if (names === null)
    throw new OldSchemaError(
      `DATABASE_URL: ${done.length} of the ${OLD.count} migrations from before the first release have run; run ` +
        `\`rostrum migrate\` of commit ${OLD.commit} first, which has them all, then that of this release`,
    );
  await knex.transaction(async (trx) => {
    // SQL: what only their former releases read, where it is still there.
    await trx.raw(`ALTER TABLE journal_meta DROP COLUMN IF EXISTS bids_share_rows,
      ADD COLUMN IF NOT EXISTS layout smallint; DROP VIEW IF EXISTS outbid_mails`);
    await trx('knex_migrations').delete();
    const run = { batch: 1, migration_time: trx.fn.now() };
    await trx('knex_migrations').insert(names.map((name) => ({ name, ...run })));
  });
}
