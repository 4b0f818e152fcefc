/**
 * An auction's status by the journal's record and clock, which Postgres' column follows a moment later, and the moves
 * that people may make from it. Whatever shows or changes an auction's status calls this.
 */

import { type AuctionRecord, pausedSinceUs } from '../../../engine/auction/record.ts';
import { AUCTION_POLICY, type AuctionAction, type AuctionState } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { Refusal, type RefusalDetail } from '../../shared/refusal.ts';
import { AUCTION_STATUSES, type AuctionStatus, isLive } from '../../shared/statuses/auction-statuses.ts';

/** The status that the record and the clock give to an auction which Postgres knows in `stored`. */
export function statusBy(stored: AuctionStatus, record: AuctionRecord | null, nowUs: number): AuctionStatus {
  if (record === null || !isLive(stored)) return stored;
  if (record.cancelled) return 'cancelled';
  if (pausedSinceUs(record) !== null) return 'paused';
  return stored === 'scheduled' && nowUs < record.startsAtUs ? 'scheduled' : 'active';
}

/** What it takes to bring an auction into a state by hand; into the others nobody brings it. */
const MOVES: Partial<Record<AuctionStatus, AuctionAction>> = {
  scheduled: 'publish',
  paused: 'pause',
  active: 'resume',
  cancelled: 'cancel',
};

/** Throws the refusal of the table: 409 `invalid_transition` with the moves that are allowed, or the caller's own. */
export function requireAuctionMove(from: AuctionState, to: AuctionStatus, who: readonly Who[]): void {
  const action = MOVES[to];
  const detail = wrongMove(from, to);
  if (action === undefined) throw new Refusal('invalid_transition', detail);
  requireAllowed(AUCTION_POLICY, action, from, who, (verdict) =>
    verdict === 'invalid_transition' ? detail : {},
  );
}

/** The detail of a move that is not allowed. */
function wrongMove(from: AuctionState, to: AuctionStatus): RefusalDetail {
  const message = `An auction cannot be moved from ${from} to ${to}.`;
  return { message, data: { status: from, allowed: AUCTION_STATUSES.byHand(from) } };
}
