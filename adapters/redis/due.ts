/**
 * The closing index: which lots of a shard the clock has something to do with. The same script that moves a lot's end
 * moves its entry here, so a lot that is found is checked again by its actor and nothing depends on who finds it, or
 * how often.
 */

import { decodeSnapshot } from '../../engine/lot/snapshot.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { OpenLink } from './link.ts';
import { ALL_SHARDS, shardKeys } from './shards.ts';

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

/** The first moment (µs) at which these shards have something to do; those without lots are left out. */
export async function nextMoments(
  { link }: OpenLink,
  shards: Iterable<number> = ALL_SHARDS,
): Promise<Map<number, number>> {
  const found = await Promise.all(
    [...shards].map(
      async (shard) => [shard, await link.zRangeWithScores(shardKeys(shard).due, 0, 0)] as const,
    ),
  );
  return new Map(found.flatMap(([shard, [first]]) => (first === undefined ? [] : [[shard, first.score]])));
}
