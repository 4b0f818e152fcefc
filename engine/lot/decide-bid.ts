/**
 * Deciding a bid and a purchase at the buy-now price: the refusals in their order, then the price by rules 1 to 6,
 * then the soft close. Everything else about a lot is decided elsewhere.
 */

import { incrementAt } from '../auction/increments.ts';
import { type AuctionRecord, type Bidder, limitOf } from '../auction/record.ts';
import { MAX_EXPOSURE_CENTS } from '../money.ts';
import type { Need, RefusalCode } from './answers.ts';
import { extendedEndUs } from './closing.ts';
import type { BidderIdentity, BuyNow, PlaceBid } from './commands.ts';
import type { Context, LimitUse } from './decision.ts';
import { bidderRefusal, isVisible, lotRefusal } from './eligibility.ts';
import type { BidPlaced } from './events.ts';
import { type AppliedBid, applyBid } from './lead.ts';
import { type Leader, type LotState, minimumNextCents, reserveMet } from './state.ts';

export type BidDecision =
  | { readonly need: Need }
  | { readonly refuse: RefusalCode; readonly limitUse: LimitUse | null }
  | {
      readonly event: BidPlaced;
      readonly limitUse: LimitUse | null;
    };

type Approved = Bidder & { readonly paddle: string };

/** Decides a straight bid, a proxy bid, or both in one. */
export function decideBid(state: LotState, command: PlaceBid, context: Context): BidDecision {
  const { record, bidder, nowUs, explain } = context;
  const { floor, bidder: who } = command;
  if (floor !== null && floor.sequence <= (state.floorSequences[floor.platform] ?? -1))
    return refuse('floor_stale');
  const early =
    eligibilityRefusal(state, who, command.currency, context) ?? priceRefusal(state, command, context);
  if (early !== null) return refuse(early);
  const limitUse = limitUseOf(state, who, ceilingOf(command), context);
  if (limitUse?.refused) return { refuse: 'bid_limit_exceeded', limitUse };
  if (needsConfirmation(state, command, record)) return refuse('bid_confirmation_required', limitUse);
  if (!isApproved(bidder)) return { need: 'registration' };

  const lead = {
    currentCents: state.currentCents,
    leader: state.leader && { who: state.leader.key, ceilingCents: state.leader.ceilingCents },
  };
  const bid = { who: who.key, straightCents: command.straightCents, ceilingCents: ceilingOf(command) };
  const { startingBidCents, reserveCents } = state;
  const applied = applyBid(
    lead,
    bid,
    { startingBidCents, reserveCents, increments: record.increments },
    explain,
  );
  const extends_ = applied.outcome !== 'max_raised' && moves(state, applied);
  const extendedToUs = extends_ ? extendedEndUs(state, record, nowUs, explain) : null;
  const { key, userId, alias, paddle } = bidder;
  const event: BidPlaced = {
    type: 'bid_placed',
    sequence: state.sequence + 1,
    bidId: command.bidId,
    salt: command.salt,
    bidder: { key, userId, alias, paddle },
    channel: command.channel,
    straightCents: command.straightCents,
    ceilingCents: bid.ceilingCents,
    outcome: applied.outcome,
    listedCents: applied.listedCents,
    currentCents: applied.currentCents,
    minimumNextCents: nextAfter(record, applied.currentCents),
    reserveMet: meetsReserve(state, applied.currentCents),
    leader: leaderAfter(state, applied, bidder, command.bidId),
    bidCount: applied.outcome === 'max_raised' ? state.bidCount : state.bidCount + 1,
    endsAtUs: extendedToUs ?? state.endsAtUs,
    extendedToUs,
    floor,
    hammerCents: null,
  };
  return { event, limitUse };
}

/** Rule 13: takes the lot at its buy-now price, while that is open, and closes it as sold. */
export function decideBuyNow(state: LotState, command: BuyNow, context: Context): BidDecision {
  const { record, bidder } = context;
  const { bidder: who } = command;
  const early = eligibilityRefusal(state, who, command.currency, context);
  if (early !== null) return refuse(early);
  const priceCents = state.buyNowCents;
  const open = state.leader === null || (state.reserveCents !== null && !reserveMet(state));
  if (priceCents === null || !open) return refuse('buy_now_unavailable');
  context.explain?.({ rule: 13, priceCents, hadBids: state.leader !== null });
  const limitUse = limitUseOf(state, who, priceCents, context);
  if (limitUse?.refused) return { refuse: 'bid_limit_exceeded', limitUse };
  if (!isApproved(bidder)) return { need: 'registration' };
  const { key, userId, alias, paddle } = bidder;
  const event: BidPlaced = {
    type: 'bid_placed',
    sequence: state.sequence + 1,
    bidId: command.bidId,
    salt: command.salt,
    bidder: { key, userId, alias, paddle },
    channel: 'online',
    straightCents: priceCents,
    ceilingCents: priceCents,
    outcome: 'won',
    listedCents: priceCents,
    currentCents: priceCents,
    minimumNextCents: nextAfter(record, priceCents),
    reserveMet: meetsReserve(state, priceCents),
    leader: {
      key,
      userId,
      alias,
      paddle,
      ceilingCents: priceCents,
      bidId: command.bidId,
      listedCents: priceCents,
    },
    bidCount: state.bidCount + 1,
    endsAtUs: state.endsAtUs,
    extendedToUs: null,
    floor: null,
    hammerCents: priceCents,
  };
  return { event, limitUse };
}

function nextAfter(record: AuctionRecord, currentCents: number): number {
  return currentCents + incrementAt(record.increments, currentCents);
}

function meetsReserve(state: LotState, currentCents: number): boolean {
  return state.reserveCents === null || currentCents >= state.reserveCents;
}

function refuse(code: RefusalCode, limitUse: LimitUse | null = null): BidDecision {
  return { refuse: code, limitUse };
}

function isApproved(bidder: Bidder | null): bidder is Approved {
  return bidder !== null && bidder.status === 'approved' && bidder.paddle !== null;
}

function eligibilityRefusal(
  state: LotState,
  who: BidderIdentity,
  currency: string | null,
  context: Context,
): RefusalCode | null {
  const { record, bidder, nowUs } = context;
  if (!isVisible(state, record, who, bidder)) return 'not_visible';
  const early = lotRefusal(state, record, nowUs) ?? bidderRefusal(state, record, who, bidder);
  if (early !== null) return early;
  context.explain?.({ rule: 7, nowUs, endsAtUs: state.endsAtUs, byFloor: record.type === 'simulcast' });
  return currency !== null && currency !== record.currency ? 'currency_mismatch' : null;
}

/** Rules 1 and 5: a leader's proxy must rise; everything else must reach the minimum next bid. */
function priceRefusal(state: LotState, command: PlaceBid, { record, explain }: Context): RefusalCode | null {
  const { straightCents } = command;
  if (straightCents === null && state.leader?.key === command.bidder.key) {
    return ceilingOf(command) > state.leader.ceilingCents ? null : 'max_not_increased';
  }
  const bidCents = straightCents ?? ceilingOf(command);
  const minimumCents = minimumNextCents(state, record);
  explain?.({ rule: 1, bidCents, minimumCents, currentCents: state.leader && state.currentCents });
  return bidCents < minimumCents ? 'bid_too_low' : null;
}

function ceilingOf(command: PlaceBid): number {
  return Math.max(command.straightCents ?? 0, command.ceilingCents ?? 0);
}

/** Without a limit nothing is checked at the commit below this: no number of processes gets from here to the bound. */
const UNCHECKED_EXPOSURE_CENTS = MAX_EXPOSURE_CENTS / 32;

/**
 * Rule 12: the limit holds for the new ceiling even where it would be outbid, so that a refusal reveals nothing. It
 * belongs to the registration, which a bidder that only a simulcast platform knows does not need.
 */
function limitUseOf(
  state: LotState,
  who: BidderIdentity,
  ceilingCents: number,
  context: Context,
): LimitUse | null {
  if (who.userId === null) return null;
  const ownCents = state.leader?.key === who.key ? state.leader.ceilingCents : 0;
  const increaseCents = Math.max(ownCents, ceilingCents) - ownCents;
  const givenCents = limitOf(context.record, context.bidder);
  if (givenCents === null && context.exposureCents + increaseCents < UNCHECKED_EXPOSURE_CENTS) return null;
  const limitCents = givenCents ?? MAX_EXPOSURE_CENTS;
  return { limitCents, increaseCents, refused: context.exposureCents + increaseCents > limitCents };
}

/** Rule 12: an amount far above the minimum has to be confirmed. */
function needsConfirmation(state: LotState, command: PlaceBid, record: AuctionRecord): boolean {
  if (record.confirmFactor <= 0 || command.confirm) return false;
  return ceilingOf(command) > record.confirmFactor * minimumNextCents(state, record);
}

function moves(state: LotState, applied: AppliedBid<string>): boolean {
  return applied.currentCents !== state.currentCents || applied.leader.who !== state.leader?.key;
}

function leaderAfter(state: LotState, applied: AppliedBid<string>, bidder: Approved, bidId: string): Leader {
  const { leader } = state;
  if (applied.outcome === 'outbid' && leader !== null) return leader;
  const { ceilingCents } = applied.leader;
  if (applied.outcome === 'max_raised' && leader !== null) return { ...leader, ceilingCents };
  const { key, userId, alias, paddle } = bidder;
  return { key, userId, alias, paddle, ceilingCents, bidId, listedCents: applied.listedCents };
}
