/**
 * Deciding a bid and a purchase at the buy-now price: the refusals in their order, then the price by rules 1 to 6,
 * then the soft close. Everything else about a lot is decided elsewhere.
 */

import { incrementAt } from '../../auction/increments.ts';
import type { AuctionRecord } from '../../auction/record.ts';
import type { RefusalCode } from '../../lot/answers.ts';
import { limitUseOf } from '../../lot/bid-limits.ts';
import type { BidderIdentity, BuyNow, PlaceBid } from '../../lot/commands.ts';
import type { BidDecision, Context, LimitUse } from '../../lot/decision.ts';
import { type Approved, eligibilityRefusal, isApproved } from '../../lot/eligibility.ts';
import { extendedEndUs } from '../../lot/soft-close.ts';
import { isBeyondTotals, totalOf } from '../../lot/units.ts';
import { unusedField } from '../../lot/unused-fields.ts';
import { closedByPurchase } from './ending.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import { type EnglishState, minimumNextCents, reserveMet } from './english-state.ts';
import { type AppliedBid, applyBid } from './lead.ts';
import type { Leader } from './leader.ts';

type Decided = BidDecision<EnglishEvent, EnglishBidPlaced>;

/**
 * Decides a straight bid, a proxy bid, or both in one. `refused`: why nobody's would be taken, once they may bid; null:
 * nothing is.
 */
export function decideBid(
  state: EnglishState,
  command: PlaceBid,
  context: Context,
  refused: RefusalCode | null = null,
): Decided {
  const { record, bidder, nowUs, explain } = context;
  const { floor, bidder: who } = command;
  const field = unusedField(command);
  if (field !== null) return { refuse: 'field_unused', fields: { field }, limitUse: null };
  if (floor !== null && floor.sequence <= (state.floorSequences[floor.platform] ?? -1))
    return refuse('floor_stale');
  const early =
    eligibilityRefusal(state, who, command, context) ?? refused ?? priceRefusal(state, command, context);
  if (early !== null) return refuse(early);
  if (isBeyondTotals(state.units, ceilingOf(command))) return refuse('bid_limit_exceeded');
  const limitUse = ceilingUse(state, who, ceilingOf(command), context);
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
  const extendedToUs = extensionBy(state, applied, record, nowUs, explain);
  const { key, userId, alias, paddle } = bidder;
  const event: EnglishBidPlaced = {
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

/** Where the bid moves the end to; null: it stays. */
function extensionBy(
  state: EnglishState,
  applied: AppliedBid<string>,
  record: AuctionRecord,
  nowUs: number,
  explain: Context['explain'],
): number | null {
  if (applied.outcome === 'max_raised' || !moves(state, applied)) return null;
  const endsAtUs = extendedEndUs(state, record, nowUs, explain);
  if (endsAtUs !== null && state.group !== null) explain?.({ rule: 20, group: state.group.name, endsAtUs });
  return endsAtUs;
}

/** Rule 13: takes the lot at its buy-now price, while that is open, and closes it as sold. */
export function decideBuyNow(state: EnglishState, command: BuyNow, context: Context): Decided {
  const { record, bidder } = context;
  const { bidder: who } = command;
  const early = eligibilityRefusal(state, who, { ...command, channel: 'online' }, context);
  if (early !== null) return refuse(early);
  const priceCents = state.buyNowCents;
  const open = state.leader === null || (state.reserveCents !== null && !reserveMet(state));
  if (priceCents === null || !open || state.choice !== null) return refuse('buy_now_unavailable');
  context.explain?.({ rule: 13, priceCents, hadBids: state.leader !== null });
  const limitUse = ceilingUse(state, who, priceCents, context);
  if (limitUse?.refused) return { refuse: 'bid_limit_exceeded', limitUse };
  if (!isApproved(bidder)) return { need: 'registration' };
  const { key, userId, alias, paddle } = bidder;
  const event: EnglishBidPlaced = {
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
    hammerCents: totalOf(state.units, priceCents),
  };
  return { event, after: [closedByPurchase(event)], limitUse };
}

function nextAfter(record: AuctionRecord, currentCents: number): number {
  return currentCents + incrementAt(record.increments, currentCents);
}

function meetsReserve(state: EnglishState, currentCents: number): boolean {
  return state.reserveCents === null || currentCents >= state.reserveCents;
}

function refuse(code: RefusalCode, limitUse: LimitUse | null = null): Decided {
  return { refuse: code, limitUse };
}

/** Rules 1 and 5: a leader's proxy must rise; everything else must reach the minimum next bid. */
function priceRefusal(
  state: EnglishState,
  command: PlaceBid,
  { record, explain }: Context,
): RefusalCode | null {
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

/** The new ceiling counts against the limit, also where it would be outbid, so that a refusal reveals nothing. */
function ceilingUse(
  state: EnglishState,
  who: BidderIdentity,
  ceilingCents: number,
  context: Context,
): LimitUse | null {
  const { leader, units } = state;
  const ownCents = leader?.key === who.key ? totalOf(units, leader.ceilingCents) : 0;
  return limitUseOf(who, Math.max(ownCents, totalOf(units, ceilingCents)) - ownCents, context);
}

/** Rule 12: an amount far above the minimum has to be confirmed. */
function needsConfirmation(state: EnglishState, command: PlaceBid, record: AuctionRecord): boolean {
  if (record.confirmFactor <= 0 || command.confirm) return false;
  return ceilingOf(command) > record.confirmFactor * minimumNextCents(state, record);
}

function moves(state: EnglishState, applied: AppliedBid<string>): boolean {
  return applied.currentCents !== state.currentCents || applied.leader.who !== state.leader?.key;
}

function leaderAfter(
  state: EnglishState,
  applied: AppliedBid<string>,
  bidder: Approved,
  bidId: string,
): Leader {
  const { leader } = state;
  if (applied.outcome === 'outbid' && leader !== null) return leader;
  const { ceilingCents } = applied.leader;
  if (applied.outcome === 'max_raised' && leader !== null) return { ...leader, ceilingCents };
  const { key, userId, alias, paddle } = bidder;
  return { key, userId, alias, paddle, ceilingCents, bidId, listedCents: applied.listedCents };
}
