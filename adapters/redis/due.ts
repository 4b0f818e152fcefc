/**
 * The closing index: which lots of a shard the clock has something to do with. The same script that moves a lot's end
 * moves its entry here, so a lot that is found is checked again by its actor and nothing depends on who finds it, or
 * how often.
 */

import { decodeSnapshot } from '../../engine/formats/formats.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { OpenLink } from './link.ts';
import { shardKeys } from './shards.ts';

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

/** The first moment (µs) at which a shard has something to do; null where it has no lots. */
export async function nextMoment({ link }: OpenLink, shard: number): Promise<number | null> {
  const [first] = await link.zRangeWithScores(shardKeys(shard).due, 0, 0);
  return first?.score ?? null;
}
