/**
 * How far each shard's log has been projected. A position moves in the transaction that writes what it passes, and is
 * compared under its row's lock before: a projector with a different position from the stored one writes nothing for
 * that shard.
 */
import type { Knex } from 'knex';
import { LOG_START } from '../../../adapters/redis/shard-log.ts';

export interface Position {
  readonly streamId: string;
  /** How many messages are behind it, over the log's whole life. */
  readonly messages: number;
}

export interface Move {
  readonly shard: number;
  readonly from: Position;
  readonly to: Position;
}

/** How long the common transaction waits for one lock. */
const LOCK_TIMEOUT_MS = 150;

const AT_START: Position = { streamId: LOG_START, messages: 0 };

interface Row {
  readonly shard: number;
  readonly stream_id: string;
  readonly messages: number;
}

interface LockedRow extends Row {
  readonly failures_version: number;
  readonly epoch: string | null;
}

/** The positions of these shards. */
export async function readPositions(knex: Knex, shards: readonly number[]): Promise<Map<number, Position>> {
  // SQL: read for every round; any number of shards in one prepared form.
  const { rows } = await knex.raw<{ rows: Row[] }>(
    'SELECT shard, stream_id, messages FROM projection_positions WHERE shard = ANY(?::int[])',
    [[...shards]],
  );
  const stored = new Map(rows.map((row) => [row.shard, { streamId: row.stream_id, messages: row.messages }]));
  return new Map(shards.map((shard) => [shard, stored.get(shard) ?? AT_START]));
}

/** A move by what was read of the journal's life that has this name; null: it has none. */
export interface MoveOfEpoch extends Move {
  readonly epoch: string | null;
}

/**
 * Locks the positions of those shards that are where they are expected until the transaction ends. Shards that somebody
 * else is moving, or has moved, are not among them, nor those that were read of another life of the journal than
 * Postgres knows. From then on the transaction waits for no lock for long, nor for a statement. Gives each shard's
 * version of its failures.
 */
export async function lockPositions(
  trx: Knex,
  moves: readonly MoveOfEpoch[],
  statementTimeoutMs: number,
): Promise<ReadonlyMap<number, number>> {
  const begun = moves.filter(({ from }) => from.streamId === LOG_START).map(({ shard }) => shard);
  if (begun.length > 0) await beginShards(trx, begun);
  // SQL: locks in the order of the shards, read as above.
  const { rows } = await trx.raw<{ rows: LockedRow[] }>(
    `SELECT shard, stream_id, failures_version, (SELECT epoch FROM journal_meta),
       (SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}ms', true)),
       (SELECT set_config('statement_timeout', ?, true))
     FROM projection_positions WHERE shard = ANY(?::int[]) ORDER BY shard FOR UPDATE SKIP LOCKED`,
    [`${statementTimeoutMs}ms`, moves.map(({ shard }) => shard)],
  );
  const expected = new Map(moves.map((move) => [move.shard, move]));
  const isExpected = ({ shard, stream_id, epoch }: LockedRow) => {
    const move = expected.get(shard);
    return move?.from.streamId === stream_id && (epoch === null || epoch === move.epoch);
  };
  return new Map(rows.filter(isExpected).map(({ shard, failures_version }) => [shard, failures_version]));
}

/** Waits for a shard's position and holds it until the transaction ends, wherever it is. */
export async function holdPosition(trx: Knex, shard: number): Promise<void> {
  await beginShards(trx, [shard]);
  // SQL: locks, and reads nothing.
  await trx.raw('SELECT shard FROM projection_positions WHERE shard = ? FOR UPDATE', [shard]);
}

async function beginShards(trx: Knex, shards: readonly number[]): Promise<void> {
  // SQL: one row for each of an array.
  await trx.raw(
    `INSERT INTO projection_positions (shard, stream_id) SELECT unnest(?::int[]), '${LOG_START}'
     ON CONFLICT (shard) DO NOTHING`,
    [[...shards].sort((a, b) => a - b)],
  );
}

/** Moves positions that this transaction has locked. */
export async function movePositions(trx: Knex, moves: readonly Move[]): Promise<void> {
  // SQL: each row its own position in one statement.
  await trx.raw(
    `UPDATE projection_positions p SET stream_id = n.stream_id, messages = n.messages, updated_at = now()
     FROM json_to_recordset(?::json) AS n (shard int, stream_id text, messages bigint) WHERE p.shard = n.shard`,
    [
      JSON.stringify(
        moves.map(({ shard, to }) => ({ shard, stream_id: to.streamId, messages: to.messages })),
      ),
    ],
  );
}

/** Says that a shard's failures have changed. The transaction must have locked its position. */
export async function touchFailures(trx: Knex, shards: readonly number[]): Promise<void> {
  // SQL: any number of shards in one prepared form.
  await trx.raw(
    'UPDATE projection_positions SET failures_version = failures_version + 1 WHERE shard = ANY(?::int[])',
    [[...shards]],
  );
}
