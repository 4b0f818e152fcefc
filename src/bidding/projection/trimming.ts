/**
 * Cuts the old ends of the logs: what is projected and was written a while ago; sooner where a log grows crowded, but
 * never what is not projected. Those who follow a log and fall behind its end continue from Postgres.
 */
import type { OpenLink } from '../../../adapters/redis/link.ts';
import type { LogTrimmer } from '../../../adapters/redis/log-trimmer.ts';
import { compareLogIds, LOG_START, logBytes } from '../../../adapters/redis/shard-log.ts';
import type { Position } from './positions.ts';

export interface TrimLimits {
  /** Projected messages younger than this stay. */
  readonly keepMs: number;
  /** Above this many bytes they do not. */
  readonly crowdedBytes: number;
}

/**
 * Trims these shards. `positionOf` gives committed positions, null where none is known. Returns how many messages
 * went.
 */
export async function trimProjected(
  redis: OpenLink,
  trimmer: LogTrimmer,
  shards: Iterable<number>,
  positionOf: (shard: number) => Position | null,
  limits: TrimLimits,
): Promise<number> {
  const oldestMs = Math.floor((await redis.timeUs()) / 1_000) - limits.keepMs;
  let removed = 0;
  for (const shard of [...shards]) {
    const projected = positionOf(shard)?.streamId ?? LOG_START;
    if (projected === LOG_START) continue;
    const crowded = (await logBytes(redis, shard)) > limits.crowdedBytes;
    const old = `${Math.max(0, oldestMs)}-0`;
    const through = crowded || compareLogIds(projected, old) < 0 ? projected : old;
    removed += await trimmer.trim(shard, through);
  }
  return removed;
}
