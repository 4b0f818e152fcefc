/**
 * How far Postgres is behind the journal, over all shards; for the metric, and for callers that wait until it has
 * caught up.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { compareLogIds, type LogEnd, logEnd, logIdMs, readLog } from '../../../adapters/redis/shard-log.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';
import { entryOf, itemAt } from '../../../engine/first-of.ts';
import { type Position, readPositions } from './positions.ts';

export interface ProjectionLag {
  /** Messages of the logs that are not projected; each holds what one commit wrote. */
  readonly entries: number;
  /** The age of the oldest of them, by the journal's clock. */
  readonly seconds: number;
}

export async function readLag(knex: Knex, redis: OpenLink): Promise<ProjectionLag> {
  const nowMs = (await redis.timeUs()) / 1_000;
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
  // The logs first: what is projected and trimmed meanwhile does not count.
  const ends = await Promise.all(shards.map((shard) => logEnd(redis, shard)));
  const positions = await readPositions(knex, shards);
  const lags = await Promise.all(
    shards.map((shard) => lagOf(redis, shard, itemAt(ends, shard), entryOf(positions, shard), nowMs)),
  );
  return {
    entries: lags.reduce((sum, lag) => sum + lag.entries, 0),
    seconds: Math.max(...lags.map((lag) => lag.seconds)),
  };
}

async function lagOf(
  redis: OpenLink,
  shard: number,
  end: LogEnd,
  { streamId, messages }: Position,
  nowMs: number,
): Promise<ProjectionLag> {
  if (compareLogIds(end.lastId, streamId) <= 0) return { entries: 0, seconds: 0 };
  const [oldest] = await readLog(redis, shard, streamId, 1);
  return {
    entries: Math.max(1, end.added - messages),
    // What was trimmed before it was projected is as old as this at least.
    seconds: Math.max(0, (nowMs - logIdMs(oldest?.id ?? end.lastId)) / 1_000),
  };
}
