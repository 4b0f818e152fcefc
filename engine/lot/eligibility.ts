/**
 * Who may bid on a lot, and when: the refusals that come before any check of an amount, in the order in which they
 * answer. The lot's state first, then the person, then the person's registration in the auction.
 */
import { type AuctionRecord, type Bidder, LET_IN, pausedSinceUs } from '../auction/record.ts';
import { isOneOf } from '../objects.ts';
import type { RefusalCode } from './answers.ts';
import type { Channel } from './channels.ts';
import { isOver } from './closing.ts';
import type { BidderIdentity, PlaceBid } from './commands.ts';
import type { Context } from './decision.ts';
import { isClosed, type LotState } from './state.ts';

/** Why nobody can bid on this lot now, or null. The state must have caught up with its auction. */
export function lotRefusal(state: LotState, record: AuctionRecord, nowUs: number): RefusalCode | null {
  if (state.status === 'withdrawn') return 'lot_withdrawn';
  if (pausedSinceUs(record) !== null) return 'auction_paused';
  if (isClosed(state) || isOver(state, record, nowUs)) return 'lot_closed';
  return nowUs < state.startsAtUs ? 'lot_not_started' : null;
}

/** Whose the auction is. */
type Owned = Pick<AuctionRecord, 'ownerUserId' | 'ownerTeamId'>;
/** What tells on which side somebody is. */
type Sided = Pick<BidderIdentity, 'userId' | 'teamIds' | 'leftTeamIds'>;

/**
 * Private auctions are there for their team, the lot's consignor and the bidders whom the seller let in, whatever
 * deposit they owe.
 */
export function isVisible(
  state: Pick<LotState, 'consignorUserId'>,
  record: Owned & Pick<AuctionRecord, 'privacy'>,
  who: BidderIdentity,
  bidder: Pick<Bidder, 'status'> | null,
): boolean {
  if (record.privacy !== 'private' || who.userId === null || owns(record, who)) return true;
  return who.userId === state.consignorUserId || isLetIn(bidder?.status ?? null);
}

/** Whether the seller has let a bidder in: approved, or owing only the deposit. */
export function isLetIn(status: string | null): boolean {
  return status !== null && isOneOf(LET_IN, status);
}

/** On the seller's side: a former member too, who is no member where it is about what they may see. */
export function isSeller(record: Owned, who: Sided): boolean {
  if (owns(record, who)) return true;
  return record.ownerTeamId !== null && who.leftTeamIds?.includes(record.ownerTeamId) === true;
}

/** The person who owns the auction, or a member of its team. */
export function owns(record: Owned, who: Sided): boolean {
  if (who.userId !== null && who.userId === record.ownerUserId) return true;
  return record.ownerTeamId !== null && who.teamIds.includes(record.ownerTeamId);
}

/** Why this person cannot bid here, or null. A bidder that only a simulcast platform knows is vouched for by it. */
function bidderRefusal(
  state: LotState,
  record: AuctionRecord,
  who: BidderIdentity,
  bidder: Bidder | null,
  channel: Channel,
): RefusalCode | null {
  if (isSeller(record, who) || (who.userId !== null && who.userId === state.consignorUserId))
    return 'seller_cannot_bid';
  if (who.suspended || bidder?.status === 'suspended') return 'bidder_suspended';
  if (who.userId === null) return null;
  if (record.requireVerified && !who.verified) return 'verification_required';
  return registrationRefusal(record, bidder, channel);
}

/** Who registers online accepts the conditions; the auctioneer has seen to it that those in the room have. */
function registrationRefusal(
  record: AuctionRecord,
  bidder: Bidder | null,
  channel: Channel,
): RefusalCode | null {
  const accepts = record.conditions !== undefined && channel === 'online';
  if (accepts && bidder?.conditionsVersion === undefined) return 'registration_required';
  if (bidder?.status === 'approved') return null;
  if (bidder?.status === 'declined') return 'registration_required';
  switch (record.registrationMode) {
    case 'open':
      return bidder === null || bidder.status === 'deposit_due' ? null : 'registration_pending';
    case 'approval':
      return bidder === null ? 'registration_required' : 'registration_pending';
    case 'deposit':
      return bidder?.status === 'pending' ? 'registration_pending' : 'deposit_required';
  }
}

export type Approved = Bidder & { readonly paddle: string };

/** Whether a bid of this bidder can be recorded; otherwise they have to be registered first. */
export function isApproved(bidder: Bidder | null): bidder is Approved {
  return bidder !== null && bidder.status === 'approved' && bidder.paddle !== null;
}

/** Every refusal that comes before the amount is looked at, in the order in which they answer; null: none applies. */
export function eligibilityRefusal(
  state: LotState,
  who: BidderIdentity,
  { currency, channel }: Pick<PlaceBid, 'currency' | 'channel'>,
  context: Context,
): RefusalCode | null {
  const { record, bidder, nowUs } = context;
  if (!isVisible(state, record, who, bidder)) return 'not_visible';
  const early = lotRefusal(state, record, nowUs) ?? bidderRefusal(state, record, who, bidder, channel);
  if (early !== null) return early;
  context.explain?.({ rule: 7, nowUs, endsAtUs: state.endsAtUs, byFloor: record.type === 'simulcast' });
  return currency !== null && currency !== record.currency ? 'currency_mismatch' : null;
}
