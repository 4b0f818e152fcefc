/** Finds the lot of a bid by the bid's id, wherever its entry is. */
import type { Knex } from 'knex';
import { SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { isBidId } from '../../shared/node-crypto.ts';
import { readSetAsideEntries } from '../projection/set-aside.ts';
import { type EntrySources, eachUnprojected } from './lot-entries.ts';

export interface LotOfBid {
  readonly lotId: number;
  readonly auctionId: number;
}

/**
 * Where a bid was placed. What is no longer in a log has been projected by then, so Postgres is read once more at the
 * end.
 */
export async function findBid(parts: EntrySources, bidId: string): Promise<LotOfBid | null> {
  const kept = await findKeptBid(parts.knex, bidId);
  if (kept !== null) return kept;
  if (!isBidId(bidId)) return null;
  const mark = JSON.stringify(bidId);
  let found: LotOfBid | null = null;
  await eachUnprojected(parts, ({ lotId, auctionId, privateText }) => {
    if (privateText.includes(mark)) found = { lotId, auctionId };
    return found === null;
  });
  if (found !== null) return found;
  const setAside = holderOf(bidId, await readSetAsideEntries(parts.knex));
  return setAside ?? (await findKeptBid(parts.knex, bidId)) ?? findSealedBid(parts.knex, bidId);
}

function holderOf(bidId: string, byLot: ReadonlyMap<number, readonly SealedEntry[]>): LotOfBid | null {
  const mark = JSON.stringify(bidId);
  for (const [lotId, entries] of byLot) {
    const holder = entries.find(({ privateText }) => privateText.includes(mark));
    if (holder !== undefined) return { lotId, auctionId: holder.auctionId };
  }
  return null;
}

/** The same of a bid that is sealed: it is in its lot's state alone. */
async function findSealedBid(knex: Knex, bidId: string): Promise<LotOfBid | null> {
  // SQL: a text within the states of a few lots.
  const { rows } = await knex.raw<{ rows: { lot_id: number; auction_id: number }[] }>(
    `SELECT s.lot_id, s.auction_id FROM lot_states s JOIN auctions a ON a.id = s.auction_id
     WHERE s.finished_at IS NULL AND a.format = ANY(?) AND position(? in s.snapshot) > 0 LIMIT 1`,
    [[...SEALED_FORMATS], JSON.stringify(bidId)],
  );
  const [found] = rows;
  return found === undefined ? null : { lotId: found.lot_id, auctionId: found.auction_id };
}

/** The same of bids that are projected. */
export async function findKeptBid(knex: Knex, bidId: string): Promise<LotOfBid | null> {
  const row = await knex('bids')
    .where('bid_id', bidId)
    .first<{ lot_id: number; auction_id: number } | undefined>('lot_id', 'auction_id');
  return row === undefined ? null : { lotId: row.lot_id, auctionId: row.auction_id };
}
