/**
 * Closed lots leave Redis a while after their close was projected: Postgres says first that a lot leaves, and from
 * then on answers for it; only then is it removed. Safe to break off, to repeat, and to run anywhere at any time.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { shardKeys, shardOf } from '../../../adapters/redis/shards.ts';
import { LIVE_AUCTION_SQL } from '../../shared/states/auction-states.ts';

export interface LeavingParts {
  readonly knex: Knex;
  readonly redis: OpenLink;
}

const DAY_SECONDS = 86_400;
const AT_ONCE = 1_000;

interface Leaving {
  readonly lot_id: number;
  readonly auction_id: number;
  readonly shard: number | null;
}

/** Removes lots that have been over for `afterSeconds` (a day). Returns how many have left. */
export async function dropClosedLots(
  { knex, redis }: LeavingParts,
  afterSeconds = DAY_SECONDS,
): Promise<number> {
  let left = 0;
  for (;;) {
    // SQL: chooses and marks in one statement, so that nobody comes between.
    await knex.raw(
      `UPDATE lot_states SET place = 'leaving' WHERE place = 'live' AND lot_id IN (
         SELECT s.lot_id FROM lot_states s
         WHERE s.place = 'live' AND s.finished_at <= now() - ? * interval '1 second'
           -- While its floor may still sell it, a lot stays.
           AND NOT EXISTS (SELECT 1 FROM auctions a
             WHERE a.id = s.auction_id AND a.type = 'simulcast' AND a.status IN ${LIVE_AUCTION_SQL})
         ORDER BY s.finished_at LIMIT ?)`,
      [afterSeconds, AT_ONCE],
    );
    const leaving: Leaving[] = await knex('lot_states as s')
      .leftJoin('auctions as a', 'a.id', 's.auction_id')
      .where('s.place', 'leaving')
      .whereNotNull('s.finished_at')
      .limit(AT_ONCE)
      .select('s.lot_id', 's.auction_id', 'a.shard');
    if (leaving.length === 0) return left;
    await removeFromRedis(redis, leaving);
    await knex('lot_states')
      .where('place', 'leaving')
      .whereRaw('lot_id = any(?::bigint[])', [leaving.map((lot) => lot.lot_id)])
      .update({ place: 'left' });
    left += leaving.length;
  }
}

async function removeFromRedis({ link }: OpenLink, lots: readonly Leaving[]): Promise<void> {
  const byShard = new Map<number, string[]>();
  for (const { lot_id, auction_id, shard: own } of lots) {
    const shard = shardOf(auction_id, own);
    byShard.set(shard, [...(byShard.get(shard) ?? []), String(lot_id)]);
  }
  for (const [shard, ids] of byShard) {
    const { ver, lot } = shardKeys(shard);
    await Promise.all([link.hDel(lot, ids), link.hDel(ver, ids)]);
  }
}
