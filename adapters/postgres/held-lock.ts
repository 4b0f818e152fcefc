/**
 * A lock held while something else is worked on: an advisory lock of a connection of its own, outside any transaction,
 * so that however long the work takes, no transaction stands idle. It ends with its process. Migrations, backups,
 * restores, the demo and rebuilds of the journal run under one.
 */
import pg from 'pg';
import { primaryOf } from './primary-host.ts';

/** The locks that there are; no two may be the same, nor any that is held for a transaction. */
const HELD_LOCKS = {
  migration: '7265737400',
  demo: '7265737405',
  backup: '7265737403',
  restore: '7265737404',
  rebuild: '7265737406',
} as const;

type HeldLock = keyof typeof HELD_LOCKS;

/** In a condition: whether nobody holds the lock, who then has to wait until the statement is over. */
export function nobodyHoldsSql(lock: HeldLock): string {
  return `pg_try_advisory_xact_lock_shared(${HELD_LOCKS[lock]})`;
}

/** Works once nobody else holds the lock. */
export function whileHolding<T>(url: string, lock: HeldLock, work: () => Promise<T>): Promise<T> {
  return onOwnConnection(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [HELD_LOCKS[lock]]);
    return work();
  });
}

/** Works if nobody holds the lock; otherwise throws what `taken` gives. */
export function ifNobodyHolds<T>(
  url: string,
  lock: HeldLock,
  taken: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  return onOwnConnection(url, async (client) => {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      HELD_LOCKS[lock],
    ]);
    if (rows[0]?.mine !== true) throw taken();
    return work();
  });
}

async function onOwnConnection<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: await primaryOf(url),
    application_name: 'rostrum lock',
    keepAlive: true,
  });
  // A connection that is cut loses the lock; what is worked on meets its own errors.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
