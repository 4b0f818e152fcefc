/**
 * What waits for somebody else's lock, or for a statement that does not end: it is retried by itself, soon after
 * the lock is released, and counts as a failure only where that takes long.
 */
import type { Knex } from 'knex';
import { type RetryParts, retryOne, type Waiting } from './retry.ts';
import type { Failure } from './set-aside.ts';

export interface LockWaitParts extends RetryParts {
  readonly onError: (error: unknown, shard: number | null) => void;
}

export interface LockWaits {
  /** Entries that were written. */
  readonly entries: number;
  /** What counts as a failure from now on. */
  readonly failures: readonly Failure[];
  /** The shards where something waits still, as far as is known, */
  readonly shards: ReadonlySet<number>;
  /** and when to look at them again. */
  readonly afterMs: number;
}

/** What waits for a lock is checked this often. */
export const LOCK_RETRY_MS = 250;
/** A lock held for less than this is not reported. */
const REPORT_AFTER_SECONDS = 10;
/** The projection of all else waits while this works. */
const LONGEST_PASS_MS = 150;
/** The shard of what is tried waits for no longer than this for a statement that does not end. */
const STATEMENT_TIMEOUT_MS = 600;
/** Where Postgres does not even say what waits. */
const AFTER_ERROR_MS = 2_000;

interface Row extends Waiting {
  /** Nobody holds the lot's row now, and it is time for the next try. */
  readonly due: boolean;
}

/** Retries what waits for locks in these shards. Never throws. */
export async function retryLockWaits(parts: LockWaitParts, shards: readonly number[]): Promise<LockWaits> {
  const failures: Failure[] = [];
  let entries = 0;
  try {
    const rows = await readWaiting(parts.knex, shards);
    const left = new Map(rows.map(({ id, shard }) => [id, shard]));
    if (rows.length > 0) failures.push(...(await reportLong(parts.knex, shards)));
    const startedMs = performance.now();
    for (const row of rows) {
      if (!row.due || performance.now() - startedMs > LONGEST_PASS_MS) continue;
      try {
        const tried = await retryOne({ ...parts, statementTimeoutMs: STATEMENT_TIMEOUT_MS }, row);
        entries += tried.entries;
        if (tried.failure !== null) failures.push(tried.failure);
        if (tried.resolved) left.delete(row.id);
      } catch (error) {
        // What is wrong with one of them delays no other.
        parts.onError(error, row.shard);
      }
    }
    return { entries, failures, shards: new Set(left.values()), afterMs: LOCK_RETRY_MS };
  } catch (error) {
    parts.onError(error, null);
    return { entries, failures, shards: new Set(shards), afterMs: AFTER_ERROR_MS };
  }
}

/**
 * Lots are judged by their auctions' records, so those go first; then whatever was not tried for longest. Something
 * that is locked elsewhere than in its lot's row is tried less and less often.
 */
async function readWaiting(knex: Knex, shards: readonly number[]): Promise<Row[]> {
  // SQL: finds the rows that are free without waiting for the others, and releases them at once.
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `WITH waiting AS MATERIALIZED (
       SELECT id, shard, lot_id, attempts, tried_at FROM projection_failures
       WHERE transient AND shard = ANY(?::int[])),
     free AS MATERIALIZED (
       SELECT l.id FROM lots l WHERE l.id IN (SELECT lot_id FROM waiting) FOR NO KEY UPDATE SKIP LOCKED)
     SELECT w.id, w.shard, (w.lot_id IS NULL OR w.lot_id IN (SELECT id FROM free)
         OR NOT EXISTS (SELECT 1 FROM lots l WHERE l.id = w.lot_id))
       AND (w.attempts = 1 OR w.tried_at + interval '0.2 s' * 2 ^ least(w.attempts - 2, 4) <= now()) AS due
     FROM waiting w ORDER BY w.lot_id IS NOT NULL, w.tried_at, w.id`,
    [[...shards]],
  );
  return rows;
}

/** What has waited long counts as a failure from now on, and is reported once. */
async function reportLong(knex: Knex, shards: readonly number[]): Promise<Failure[]> {
  return knex('projection_failures')
    .where('transient', true)
    .whereNull('reported_at')
    .whereRaw('shard = ANY(?::int[])', [[...shards]])
    .whereRaw(`created_at < now() - ? * interval '1 second'`, [REPORT_AFTER_SECONDS])
    .update({ reported_at: knex.fn.now() })
    .returning<Failure[]>('*');
}
