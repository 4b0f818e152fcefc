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
      return await knex.transaction((trx) => withEndings(trx, work));
    } catch (error) {
      if (left <= 1 || !BROKEN_OFF.includes(postgresCodeOf(error))) throw error;
      // Not all of them again at the same moment.
      await setTimeout(Math.random() * 20 * (TRIES - left + 1));
    }
  }
}

const ENDINGS = new WeakMap<Knex.Transaction, (() => Promise<void>)[]>();

async function withEndings<T>(
  trx: Knex.Transaction,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const endings: (() => Promise<void>)[] = [];
  ENDINGS.set(trx, endings);
  const done = await work(trx);
  for (const end of endings) await end();
  return done;
}

/** Has this done last in a transaction of `inTransaction`; in any other at once. */
export async function atEnd(trx: Knex.Transaction, end: () => Promise<void>): Promise<void> {
  const endings = ENDINGS.get(trx);
  if (endings === undefined) await end();
  else endings.push(end);
}

/**
 * Waits for every transaction that holds this name, and holds it until the caller's ends. `family` separates names of
 * one kind from those of another.
 */
export async function holdName(trx: Knex, name: string, family = 0): Promise<void> {
  // SQL: no builder knows advisory locks.
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, ?))', [name, family]);
}
