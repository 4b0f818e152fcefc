/**
 * How one bid changes who leads and at what price: rules 1 to 6, and nothing about clocks, eligibility or refusals.
 * Deciding a live bid and working out a void both go through here, so that they cannot differ.
 */
import { type Increment, incrementAt } from '../../auction/increments.ts';
import type { Explain } from '../../lot/reasons.ts';

/** Who leads with which ceiling, at what price. `Who` is whatever the caller names a bidder by. */
export interface Lead<Who> {
  readonly currentCents: number;
  readonly leader: { readonly who: Who; readonly ceilingCents: number } | null;
}

export interface Pricing {
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly increments: readonly Increment[];
}

export interface CandidateBid<Who> {
  readonly who: Who;
  readonly straightCents: number | null;
  readonly ceilingCents: number;
}

export interface AppliedBid<Who> extends Lead<Who> {
  readonly outcome: 'leading' | 'leading_reserve_not_met' | 'outbid' | 'max_raised';
  readonly leader: { readonly who: Who; readonly ceilingCents: number };
  /** The row's amount: what a leading bid led to, or the ceiling of a bid that was outbid at once. */
  readonly listedCents: number;
}

/** Rule 6: a leader whose ceiling covers the reserve bids it. */
export function liftToReserve(
  currentCents: number,
  ceilingCents: number,
  reserveCents: number | null,
): number {
  return reserveCents !== null && ceilingCents >= reserveCents && currentCents < reserveCents
    ? reserveCents
    : currentCents;
}

/** `liftToReserve` where a bid is placed: adds that to the explanation, or what is missing. */
function lifted(
  beforeCents: number,
  ceilingCents: number,
  reserveCents: number | null,
  explain: Explain | undefined,
): number {
  const priceCents = liftToReserve(beforeCents, ceilingCents, reserveCents);
  if (reserveCents !== null) explain?.({ rule: 6, reserveCents, beforeCents, priceCents });
  return priceCents;
}

/** Applies a bid that is high enough. The caller has checked rule 1 (and `max_not_increased`) where they apply. */
export function applyBid<Who>(
  lead: Lead<Who>,
  bid: CandidateBid<Who>,
  pricing: Pricing,
  explain?: Explain,
): AppliedBid<Who> {
  const { leader } = lead;
  if (leader === null)
    return takeLead(bid, bid.ceilingCents, opening(bid, pricing, explain), pricing, explain);
  if (leader.who === bid.who) return raise(lead.currentCents, leader.ceilingCents, bid, pricing, explain);
  return bid.ceilingCents > leader.ceilingCents
    ? takeLead(
        bid,
        bid.ceilingCents,
        overtaking(lead.currentCents, leader.ceilingCents, bid, pricing, explain),
        pricing,
        explain,
      )
    : outbid(lead.currentCents, leader, bid, pricing, explain);
}

/** Rule 2: the price of the first bid. */
function opening<Who>(
  { straightCents }: CandidateBid<Who>,
  { startingBidCents }: Pricing,
  explain: Explain | undefined,
): number {
  const priceCents = straightCents ?? startingBidCents;
  explain?.({ rule: 2, straightCents, startingBidCents, priceCents });
  return priceCents;
}

/**
 * Rule 3: the price at which a higher ceiling takes the lead. Its own ceiling bounds it, because bids that are applied
 * again after a void may face a minimum that did not apply to them then.
 */
function overtaking<Who>(
  currentCents: number,
  leaderCents: number,
  { straightCents, ceilingCents }: CandidateBid<Who>,
  pricing: Pricing,
  explain: Explain | undefined,
): number {
  const minimumNextCents = currentCents + incrementAt(pricing.increments, currentCents);
  const overLeader = leaderCents + incrementAt(pricing.increments, leaderCents);
  const priceCents =
    straightCents !== null && straightCents > leaderCents
      ? straightCents
      : Math.min(ceilingCents, Math.max(minimumNextCents, overLeader));
  explain?.({ rule: 3, straightCents, ceilingCents, beatenCents: leaderCents, minimumNextCents, priceCents });
  return priceCents;
}

/** Rule 4: the leader's ceiling holds; on a tie the earlier one leads at the tied amount. The price never falls. */
function outbid<Who>(
  currentCents: number,
  leader: { readonly who: Who; readonly ceilingCents: number },
  { ceilingCents }: CandidateBid<Who>,
  pricing: Pricing,
  explain: Explain | undefined,
): AppliedBid<Who> {
  const incrementCents = incrementAt(pricing.increments, ceilingCents);
  const leaderCents = leader.ceilingCents;
  const priceCents = Math.max(currentCents, Math.min(leaderCents, ceilingCents + incrementCents));
  explain?.({ rule: 4, ceilingCents, leaderCents, incrementCents, priceCents });
  const liftedCents = lifted(priceCents, leaderCents, pricing.reserveCents, explain);
  return { outcome: 'outbid', currentCents: liftedCents, leader, listedCents: ceilingCents };
}

/** Rule 5: the leader raises the ceiling, or bids against nobody with a straight amount. */
function raise<Who>(
  currentCents: number,
  ceilingCents: number,
  bid: CandidateBid<Who>,
  pricing: Pricing,
  explain: Explain | undefined,
): AppliedBid<Who> {
  const { straightCents } = bid;
  const highest = Math.max(ceilingCents, bid.ceilingCents);
  const priceCents = Math.max(straightCents ?? 0, currentCents);
  explain?.({ rule: 5, straightCents, fromCents: ceilingCents, ceilingCents: highest, priceCents });
  if (straightCents !== null) return takeLead(bid, highest, priceCents, pricing, explain);
  const liftedCents = lifted(priceCents, highest, pricing.reserveCents, explain);
  return {
    outcome: 'max_raised',
    currentCents: liftedCents,
    leader: { who: bid.who, ceilingCents: highest },
    listedCents: liftedCents,
  };
}

function takeLead<Who>(
  bid: CandidateBid<Who>,
  ceilingCents: number,
  priceCents: number,
  pricing: Pricing,
  explain: Explain | undefined,
): AppliedBid<Who> {
  const currentCents = lifted(priceCents, ceilingCents, pricing.reserveCents, explain);
  const short = pricing.reserveCents !== null && currentCents < pricing.reserveCents;
  return {
    outcome: short ? 'leading_reserve_not_met' : 'leading',
    currentCents,
    leader: { who: bid.who, ceilingCents },
    listedCents: currentCents,
  };
}
