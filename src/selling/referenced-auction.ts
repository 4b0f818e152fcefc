/**
 * The auction that a seller's body names, checked where it is taken: one that is not there is 422 in
 * `errors.auction_id`, one of another team 404 like everything that is not the caller's.
 */
import type { Knex } from 'knex';
import { MAX_LOTS_PER_AUCTION } from '../shared/lot.schema.ts';
import { invalid, notFound } from '../shared/refusal.ts';
import type { AuctionStatus } from '../shared/states/auction-states.ts';

export interface ReferencedAuction {
  readonly id: number;
  readonly team_id: number;
  readonly status: AuctionStatus;
  readonly category_id: number | null;
}

/** With `lock` the row is kept until the transaction ends. */
export async function referencedAuction(
  knex: Knex,
  teamId: number,
  auctionId: number,
  { lock }: { readonly lock: boolean } = { lock: false },
): Promise<ReferencedAuction> {
  const query = knex('auctions').where('id', auctionId);
  if (lock) query.forUpdate();
  const row = await query.first<ReferencedAuction | undefined>('id', 'team_id', 'status', 'category_id');
  if (row === undefined)
    throw invalid({ auction_id: ['The auction_id field must be the id of an auction.'] });
  if (row.team_id !== teamId) throw notFound('There is no such auction.');
  return row;
}

/** Throws 422 where the auction would have more lots than it may. Its row must be locked. */
export async function requireRoomForLots(trx: Knex, auctionId: number, adding: number): Promise<void> {
  const [counted] = await trx('lots').where('auction_id', auctionId).count('* as n');
  if (Number(counted?.['n'] ?? 0) + adding <= MAX_LOTS_PER_AUCTION) return;
  throw invalid({ auction_id: [`An auction has at most ${MAX_LOTS_PER_AUCTION} lots.`] });
}
