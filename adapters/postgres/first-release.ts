/**
 * Databases from before the first release. Its schema took 137 migrations then; those of today make the same one
 * (`pg_dump` of both was compared once, on 2026-11-28). A database, or a backup, in which all of the old ones have run
 * is taken over.
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

/** Whether some of what has run is from before the first release. */
export function isOld(done: readonly string[]): boolean {
  return done.some((name) => name < FIRST);
}

/** What to do with a database, or a backup, in which only a part of the old ones has run. */
export const PARTLY_OLD =
  'not all migrations from before the first release have run: ' +
  `run \`rostrum migrate\` of commit ${OLD.commit} first, which has them all`;

/** Writes the list of what has run anew where it is one from before the first release, and settles its rows. */
export async function takeOver(knex: Knex, own: readonly string[]): Promise<void> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return;
  const done: string[] = await knex('knex_migrations').pluck('name');
  if (!isOld(done)) return;
  const names = namedAnew(done, own);
  if (names === null) throw new OldSchemaError(`DATABASE_URL: ${PARTLY_OLD}`);
  await requireFinished(knex);
  await knex.transaction(async (trx) => {
    // SQL: what only their former releases read, where it is still there.
    await trx.raw(`ALTER TABLE journal_meta DROP COLUMN IF EXISTS bids_share_rows,
      ADD COLUMN IF NOT EXISTS layout smallint; DROP VIEW IF EXISTS outbid_mails`);
    await settleOldRows(trx);
    await trx('knex_migrations').delete();
    const run = { batch: 1, migration_time: trx.fn.now() };
    await trx('knex_migrations').insert(names.map((name) => ({ name, ...run })));
  });
}

/** Facts and jobs in the form of before wait for nobody once the last upgrade of then is finished. */
async function requireFinished(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('journal_meta', 'bids_share_rows'))) return;
  if ((await knex('journal_meta').first('epoch').where({ bids_share_rows: false })) !== undefined)
    throw new OldSchemaError(
      `DATABASE_URL: its last upgrade is not finished: run \`rostrum migrate --finish\` of commit ${OLD.commit} first`,
    );
}

/** Notices that are still in the form of before that upgrade: people have one for a lot. */
export async function settleOldRows(trx: Knex): Promise<void> {
  // SQL: no builder inserts what it selects, without what is there.
  await trx.raw(
    `INSERT INTO outbid_notices (user_id, lot_id, current_bid_cents, created_at, read_at, mailed_at, on_page)
     SELECT n.user_id, n.lot_id, l.current_bid_cents, n.created_at, n.read_at, n.mailed_at, n.on_page
     FROM notifications n JOIN lots l ON l.id = n.lot_id WHERE n.kind = 'outbid'
     ON CONFLICT (user_id, lot_id) DO NOTHING`,
  );
  await trx('notifications').where('kind', 'outbid').delete();
  await trx('notifications').where('kind', 'ending_soon').whereRaw("data->'lots' IS NULL").delete();
}
