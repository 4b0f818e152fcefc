/**
 * The closing index: which lots of a shard the clock has something to do with. The same script that moves a lot's end
 * moves its entry here, so a lot that is found is checked again by its actor and nothing depends on who finds it, or
 * how often.
 */

import { decodeSnapshot } from '../../engine/lot/snapshot.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** Lots of a shard that are due at `nowUs`, the longest due first, as they are. */
export async function dueLots(
  open: OpenLink,
  shard: number,
  nowUs: number,
  count: number,
): Promise<LotState[]> {
  const keys = shardKeys(shard);
  const ids = await open.link.zRangeByScore(keys.due, '-inf', nowUs, { LIMIT: { offset: 0, count } });
  if (ids.length === 0) return [];
  const texts = await open.link.hmGet(keys.lot, ids);
  return texts.flatMap((text) => (text === null ? [] : [decodeSnapshot(text)]));
}

/** The shards that have lots with something to do, now or later. */
export async function shardsWithLots({ link }: OpenLink): Promise<number[]> {
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
  const counts = await Promise.all(
    shards.map((shard) => link.send(shardKeys(shard).due, ['ZCARD', shardKeys(shard).due])),
  );
  return shards.filter((shard) => Number(counts[shard]) > 0);
}
