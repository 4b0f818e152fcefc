/**
 * An auction's status by the journal's record and clock, which Postgres' column follows a moment later, and the moves
 * that people may make from it. Whatever shows or changes an auction's status calls this.
 */

import { type AuctionRecord, pausedSinceUs } from '../../../engine/auction/record.ts';
import { Refusal } from '../../shared/refusal.ts';
import { AUCTION_STATUSES, type AuctionStatus, isLive } from '../../shared/statuses/auction-statuses.ts';

/** The status that the record and the clock give to an auction which Postgres knows in `stored`. */
export function statusBy(stored: AuctionStatus, record: AuctionRecord | null, nowUs: number): AuctionStatus {
  if (record === null || !isLive(stored)) return stored;
  if (record.cancelled) return 'cancelled';
  if (pausedSinceUs(record) !== null) return 'paused';
  return stored === 'scheduled' && nowUs < record.startsAtUs ? 'scheduled' : 'active';
}

/** Throws 409 `invalid_transition` with the moves that are allowed, unless `to` is one of them. */
export function requireMove(from: AuctionStatus, to: AuctionStatus): void {
  const allowed = AUCTION_STATUSES.byHand(from);
  if (allowed.includes(to)) return;
  const message = `An auction cannot be moved from ${from} to ${to}.`;
  throw new Refusal('invalid_transition', { message, data: { status: from, allowed } });
}
