/**
 * Transactions that lock rows of several kinds: where two of them wait for each other, Postgres ends one, and it is
 * done again.
 */
import type { Knex } from 'knex';
import { postgresCodeOf } from '../../adapters/postgres/postgres-error.ts';

const TRIES = 4;
const DEADLOCK = '40P01';

/**
 * Runs `work` in a transaction; after a deadlock from the start again, a few times. `work` must touch nothing but the
 * database.
 */
export async function inTransaction<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await knex.transaction(work);
    } catch (error) {
      if (left <= 1 || postgresCodeOf(error) !== DEADLOCK) throw error;
    }
  }
}

/**
 * Waits for every transaction that holds this name, and holds it until the caller's ends. `family` separates names of
 * one kind from those of another.
 */
export async function holdName(trx: Knex, name: string, family = 0): Promise<void> {
  // SQL: no builder knows advisory locks.
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, ?))', [name, family]);
}
