/**
 * How far Postgres is behind the journal, over all shards; for the metric, and for whoever waits until it has caught
 * up.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { compareLogIds, LOG_START, logEnd, logIdMs, readLog } from '../../../adapters/redis/shard-log.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';

export interface ProjectionLag {
  /** Messages of the logs that are not projected; each holds what one commit wrote. */
  readonly entries: number;
  /** The age of the oldest of them, by the journal's clock. */
  readonly seconds: number;
}

interface Row {
  readonly shard: number;
  readonly stream_id: string;
  readonly messages: number;
}

export async function readLag(knex: Knex, redis: OpenLink): Promise<ProjectionLag> {
  const rows: Row[] = await knex('projection_positions').select('shard', 'stream_id', 'messages');
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  const nowMs = (await redis.timeUs()) / 1_000;
  const shards = await Promise.all(
    Array.from({ length: SHARD_COUNT }, (_, shard) => lagOf(redis, shard, byShard.get(shard), nowMs)),
  );
  return {
    entries: shards.reduce((sum, lag) => sum + lag.entries, 0),
    seconds: Math.max(...shards.map((lag) => lag.seconds)),
  };
}

async function lagOf(
  redis: OpenLink,
  shard: number,
  row: Row | undefined,
  nowMs: number,
): Promise<ProjectionLag> {
  const end = await logEnd(redis, shard);
  const position = row?.stream_id ?? LOG_START;
  if (compareLogIds(end.lastId, position) <= 0) return { entries: 0, seconds: 0 };
  const [oldest] = await readLog(redis, shard, position, 1);
  if (oldest === undefined) return { entries: 0, seconds: 0 };
  return {
    entries: Math.max(1, end.added - (row?.messages ?? 0)),
    seconds: Math.max(0, (nowMs - logIdMs(oldest.id)) / 1_000),
  };
}
