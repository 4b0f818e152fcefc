/** One backup of a deployment at a time, and one restore into a database. */
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { InputError } from '../../shared/input-error.ts';

/** The locks that they hold while they work; a lock ends with its connection. */
const LOCKS = {
  backup: { key: 7_265_737_401, taken: 'a backup of this deployment is already running' },
  restore: { key: 7_265_737_402, taken: 'a restore into this database is already running' },
} as const;

/** Works alone. Throws `InputError` where another one is at work. */
export async function asTheOnly<T>(
  what: keyof typeof LOCKS,
  database: Database,
  work: () => Promise<T>,
): Promise<T> {
  const { key, taken } = LOCKS[what];
  const own = openDatabase(database.url, { max: 1 });
  try {
    return await own.knex.transaction(async (trx) => {
      // SQL: a setting of this transaction; no builder knows it.
      await trx.raw('SET LOCAL idle_in_transaction_session_timeout TO 0');
      // SQL: no builder knows advisory locks.
      const { rows } = await trx.raw<{ rows: { mine: boolean }[] }>(
        'SELECT pg_try_advisory_xact_lock(?) AS mine',
        [key],
      );
      if (!rows[0]?.mine) throw new InputError(taken);
      return await work();
    });
  } finally {
    await own.close();
  }
}
