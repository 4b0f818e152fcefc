/**
 * The auction that a seller's body names, checked where it is taken: 404 for one that the team does not
 * have. Whether another team has it is not looked at, so no answer tells.
 */
import type { Knex } from 'knex';
import { Auction } from '../bidding/records/auction.model.ts';
import { Lot } from '../bidding/records/lot.model.ts';
import { MAX_LOTS_PER_AUCTION } from '../shared/lot.schema.ts';
import { invalid, notFound, type Refusal } from '../shared/refusal.ts';

export type ReferencedAuction = Pick<
  Auction,
  'id' | 'team_id' | 'status' | 'category_id' | 'currency' | 'type' | 'format'
>;

/** With `lock` the row is kept until the transaction ends. */
export async function referencedAuction(
  knex: Knex,
  teamId: number,
  auctionId: number,
  { lock }: { readonly lock: boolean } = { lock: false },
): Promise<ReferencedAuction> {
  const query = Auction.query(knex)
    .findOne({ id: auctionId, team_id: teamId })
    .select('id', 'team_id', 'status', 'category_id', 'currency', 'type', 'format');
  if (lock) query.forUpdate();
  const auction = await query;
  if (auction === undefined) throw noSuchAuction();
  return auction;
}

/** The refusal of an auction that the team does not have, or no longer: a draft may be deleted at the same moment. */
export function noSuchAuction(): Refusal {
  return notFound('There is no such auction.');
}

/** Throws 422 where the auction would have more lots than it may. Its row must be locked. */
export async function requireRoomForLots(trx: Knex, auctionId: number, adding: number): Promise<void> {
  const there = await Lot.query(trx).where('auction_id', auctionId).resultSize();
  if (there + adding <= MAX_LOTS_PER_AUCTION) return;
  throw invalid({ auction_id: [`An auction has at most ${MAX_LOTS_PER_AUCTION} lots.`] });
}
