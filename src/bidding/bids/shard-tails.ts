/**
 * What all shards' journals hold beyond Postgres: reads over all of somebody's lots begin with it, so that what was
 * acknowledged a moment ago is in them.
 */

import { LOG_START } from '../../../adapters/redis/shard-log.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';
import { userKey } from '../../../engine/auction/record.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { readSetAsideEntries } from '../projection/set-aside.ts';
import { overlayOf } from './lot-tail.ts';
import type { NewestParts } from './newest.ts';

export interface Tails {
  readonly byLot: ReadonlyMap<number, readonly SealedEntry[]>;
  readonly stale: boolean;
}

/** To be read before Postgres: what moves there meanwhile is found there. */
export async function readTails({ knex, tail }: TailParts): Promise<Tails> {
  const positions: { shard: number; stream_id: string }[] = await knex('projection_positions').select(
    'shard',
    'stream_id',
  );
  const from = new Map(positions.map(({ shard, stream_id }) => [shard, stream_id]));
  const byLot = await readSetAsideEntries(knex);
  try {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
    const tails = await Promise.all(shards.map((shard) => tail.after(shard, from.get(shard) ?? LOG_START)));
    for (const frame of tails.flat().flatMap((message) => message.frames)) {
      if (frame.kind !== 'entry') continue;
      const entries = byLot.get(frame.entry.lotId);
      if (entries === undefined) byLot.set(frame.entry.lotId, [frame.entry]);
      else entries.push(frame.entry);
    }
    return { byLot, stale: false };
  } catch {
    return { byLot, stale: true };
  }
}

export interface FreshBid {
  readonly bidId: string;
  /** Null: the bid is on several lots together. */
  readonly ceilingCents: number | null;
}

/** The lots that somebody has bid on where Postgres may not know it yet, with their newest bid that stands. */
export async function freshBidsOf(parts: TailParts, userId: number): Promise<ReadonlyMap<number, FreshBid>> {
  const { byLot } = await readTails(parts);
  const mark = JSON.stringify(userKey(userId));
  const rows = [...byLot.values()]
    .filter((entries) => entries.some(({ privateText }) => privateText.includes(mark)))
    .flatMap((entries) => overlayOf(entries, 0).rows)
    .filter(({ user_id, voided }) => user_id === userId && !voided);
  const fresh = new Map<number, FreshBid>();
  for (const { bid_id: bidId, lot_id, lot_ids, ceiling_cents } of rows) {
    const together = Array.isArray(lot_ids) ? lot_ids.filter((id) => typeof id === 'number') : null;
    const ceilingCents = together === null ? ceiling_cents : null;
    for (const lotId of together ?? [lot_id]) fresh.set(lotId, { bidId, ceilingCents });
  }
  return fresh;
}

type TailParts = Pick<NewestParts, 'knex' | 'tail'>;
