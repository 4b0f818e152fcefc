/**
 * How far each shard's log has been projected. The position moves in the transaction that writes what it passes, and is compared
 * under its row's lock before: whoever thinks of another position than the stored one writes nothing.
 */
import type { Knex } from 'knex';
import { LOG_START } from '../../../adapters/redis/shard-log.ts';

export interface Position {
  readonly streamId: string;
  /** How many messages lie behind it, over the log's whole life. */
  readonly messages: number;
}

/** Somebody else has moved the position meanwhile. */
export class PositionMoved extends Error {
  override readonly name = 'PositionMoved';
}

const AT_START: Position = { streamId: LOG_START, messages: 0 };

export async function readPosition(knex: Knex, shard: number): Promise<Position> {
  const row = await knex('projection_positions')
    .where('shard', shard)
    .first<Position | undefined>({ streamId: 'stream_id', messages: 'messages' });
  return row ?? AT_START;
}

/** Locks a shard's position until the transaction ends. Throws `PositionMoved` where it is not `expected`. */
export async function lockPosition(trx: Knex.Transaction, shard: number, expected: Position): Promise<void> {
  if (expected.streamId === LOG_START) {
    await trx('projection_positions')
      .insert({ shard, stream_id: LOG_START, messages: 0 })
      .onConflict('shard')
      .ignore();
  }
  const row = await trx('projection_positions').where('shard', shard).forUpdate().first('stream_id');
  const stored = (row as { stream_id: string } | undefined)?.stream_id;
  if (stored !== expected.streamId) {
    throw new PositionMoved(`shard ${shard} is at ${stored ?? 'nowhere'}, not at ${expected.streamId}`);
  }
}

export async function movePosition(trx: Knex.Transaction, shard: number, to: Position): Promise<void> {
  await trx('projection_positions')
    .where('shard', shard)
    .update({ stream_id: to.streamId, messages: to.messages, updated_at: trx.fn.now() });
}
