/**
 * The journal's life: a name that is written into every shard once and that each commit checks. A Redis that comes back empty,
 * or is another one, carries no such name and so takes no bid until somebody has looked.
 */
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** Writes the epoch into every shard. Only for a journal that starts its life, or is rebuilt. */
export async function writeEpoch(open: OpenLink, epoch: string): Promise<void> {
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) await open.link.hSet(shardKeys(shard).meta, { epoch });
}

/** The shards that do not carry this epoch. */
export async function foreignShards(open: OpenLink, epoch: string): Promise<number[]> {
  const found = await Promise.all(
    Array.from({ length: SHARD_COUNT }, (_, shard) => open.link.hGet(shardKeys(shard).meta, 'epoch')),
  );
  return found.flatMap((text, shard) => (text === epoch ? [] : [shard]));
}

/** Whether no shard carries any epoch and none has a lot: a Redis that has never been a journal, or has lost everything. */
export async function isBlank(open: OpenLink): Promise<boolean> {
  const found = await Promise.all(
    Array.from({ length: SHARD_COUNT }, (_, shard) => open.link.hGet(shardKeys(shard).meta, 'epoch')),
  );
  return found.every((text) => text === null);
}
