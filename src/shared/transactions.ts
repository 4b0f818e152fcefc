/**
 * Transactions that lock rows of several kinds: where two of them wait for each other, Postgres ends one, and it is
 * done again.
 */
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { postgresCodeOf } from '../../adapters/postgres/postgres-error.ts';

const TRIES = 10;

/** What Postgres breaks off though nothing is wrong with it: a deadlock, two that cannot be put in an order. */
const BROKEN_OFF: readonly (string | null)[] = ['40P01', '40001'];

/**
 * Runs `work` in a transaction; what Postgres breaks off, from the start again, a few times. Besides the database
 * `work` may touch only what doing twice does once.
 */
export async function inTransaction<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await knex.transaction(work);
    } catch (error) {
      if (left <= 1 || !BROKEN_OFF.includes(postgresCodeOf(error))) throw error;
      // Not all of them again at the same moment.
      await setTimeout(Math.random() * 20 * (TRIES - left + 1));
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
