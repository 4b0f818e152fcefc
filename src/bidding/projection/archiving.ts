/**
 * Archives closed lots: some time after a lot's close was projected, Postgres marks the lot as leaving and answers
 * for it from then on; only then is it removed from Redis. Safe to interrupt, to repeat, and to run
 * in several processes.
 */
import type { Knex } from 'knex';
import { exposureField, noteField } from '../../../adapters/redis/commit-call.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { shardKeys, shardOf } from '../../../adapters/redis/shards.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import { LIVE_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';

export interface ArchivingParts {
  readonly knex: Knex;
  readonly redis: OpenLink;
}

const DAY_SECONDS = 86_400;
const AT_ONCE = 1_000;

interface ArchivingLot {
  readonly lot_id: number;
  readonly auction_id: number;
  readonly shard: number | null;
}

/** Archives lots that have been over for `afterSeconds` (a day). Returns how many. */
export async function archiveClosedLots(
  { knex, redis }: ArchivingParts,
  afterSeconds = DAY_SECONDS,
): Promise<number> {
  let archived = 0;
  for (;;) {
    // SQL: chooses and marks in one statement, so that nobody comes between.
    await knex.raw(
      `UPDATE lot_states SET place = 'leaving' WHERE place = 'live' AND lot_id IN (
         SELECT s.lot_id FROM lot_states s
         WHERE s.place = 'live' AND s.host_id IS NULL AND s.finished_at <= now() - ? * interval '1 second'
           -- While its floor may still sell it, a lot stays.
           AND NOT EXISTS (SELECT 1 FROM auctions a
             WHERE a.id = s.auction_id AND a.type = 'simulcast' AND a.status IN ${LIVE_AUCTION_SQL})
         ORDER BY s.finished_at LIMIT ?)`,
      [afterSeconds, AT_ONCE],
    );
    const lots: ArchivingLot[] = await knex('lot_states as s')
      .leftJoin('auctions as a', 'a.id', 's.auction_id')
      .where('s.place', 'leaving')
      .whereNotNull('s.finished_at')
      .limit(AT_ONCE)
      .select('s.lot_id', 's.auction_id', 'a.shard');
    if (lots.length === 0) return archived;
    await removeFromRedis(redis, lots);
    await knex('lot_states')
      .where('place', 'leaving')
      .whereRaw('lot_id = any(?::bigint[])', [lots.map((lot) => lot.lot_id)])
      .update({ place: 'left' });
    await dropNotes({ knex, redis }, lots);
    await dropCounts({ knex, redis }, lots);
    archived += lots.length;
  }
}

/** The notes of groups that have left as a whole. */
async function dropNotes(
  { knex, redis: { link } }: ArchivingParts,
  lots: readonly ArchivingLot[],
): Promise<void> {
  // SQL: of the two kinds of groups a lot has one at most.
  const name = knex.raw('coalesce(l.close_group, l.choice_group)');
  const groups: { auction_id: number; name: string; shard: number | null }[] = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .join('lot_states as s', 's.lot_id', 'l.id')
    .whereRaw('l.auction_id = any(?::bigint[])', [[...new Set(lots.map((lot) => lot.auction_id))]])
    .whereRaw('coalesce(l.close_group, l.choice_group) IS NOT NULL')
    .groupBy('l.auction_id', name, 'a.shard')
    .havingRaw(`bool_and(s.place = 'left')`)
    .select('l.auction_id', { name }, 'a.shard');
  for (const { auction_id, name: group, shard } of groups)
    await link.hDel(shardKeys(shardOf(auction_id, shard)).note, [noteField(auction_id, group)]);
}

/** What was counted of bidders in auctions with sealed bids that have left as a whole: nothing is taken back of it. */
async function dropCounts(
  { knex, redis: { link } }: ArchivingParts,
  lots: readonly ArchivingLot[],
): Promise<void> {
  const auctions: { id: number; shard: number | null }[] = await knex('auctions as a')
    .whereRaw('a.id = any(?::bigint[]) AND a.format = any(?)', [
      [...new Set(lots.map((lot) => lot.auction_id))],
      [...SEALED_FORMATS],
    ])
    .whereNotExists(
      knex('lot_states as s').whereRaw(`s.auction_id = a.id AND s.place <> 'left' AND s.host_id IS NULL`),
    )
    .select('a.id', 'a.shard');
  for (const { id, shard } of auctions) {
    const userIds: number[] = await knex('registrations').where('auction_id', id).pluck('user_id');
    const fields = userIds.map((userId) => exposureField(id, userKey(userId)));
    if (fields.length > 0) await link.hDel(shardKeys(shardOf(id, shard)).exp, fields);
  }
}

async function removeFromRedis({ link }: OpenLink, lots: readonly ArchivingLot[]): Promise<void> {
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
