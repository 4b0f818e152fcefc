/**
 * What is said of a Postgres or a Redis that does not answer: one sentence that names the variable it comes from and
 * the place it leads to, without passwords. Every process and every command opens its two servers through it.
 */
import { type Database, DatabaseUnreachableError } from '../../../adapters/postgres/database.ts';
import { withoutCredentials } from '../../../adapters/postgres/primary-host.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';
import { laterLayout } from '../../shared/layout.ts';

/** Throws an `InputError` where Postgres cannot be reached. */
export async function requirePostgres(database: Database): Promise<void> {
  try {
    await database.ready();
  } catch (error) {
    if (error instanceof DatabaseUnreachableError) throw new InputError(`DATABASE_URL: ${error.message}`);
    throw error;
  }
}

/** Throws an `InputError` where a later release has finished its upgrade. A schema that has no layout yet has none. */
export async function requireLayout({ knex }: Database): Promise<void> {
  if (!(await knex.schema.hasColumn('journal_meta', 'layout'))) return;
  const later = await laterLayout(knex);
  if (later !== null) throw new InputError(later);
}

/** Runs what opens a connection to this Redis; its failure becomes an `InputError`. */
export async function requireRedis<T>(redisUrl: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new InputError(
      `REDIS_URL: cannot reach Redis at ${withoutCredentials(redisUrl)}: ${messageOf(error)}`,
    );
  }
}
