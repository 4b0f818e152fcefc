/**
 * How one bid changes who leads and at what price: rules 1 to 6, and nothing about clocks, eligibility or refusals.
 * Deciding a live bid and working out a void both go through here, so that they cannot drift apart.
 */
import { type Increment, incrementAt } from '../auction/increments.ts';

/** Who leads with which ceiling, at what price. `Who` is whatever the caller names a bidder by. */
export interface Standing<Who> {
  readonly currentCents: number;
  readonly leader: { readonly who: Who; readonly ceilingCents: number } | null;
}

export interface Pricing {
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly increments: readonly Increment[];
}

export interface StandingBid<Who> {
  readonly who: Who;
  readonly straightCents: number | null;
  readonly ceilingCents: number;
}

export interface Placed<Who> extends Standing<Who> {
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

/** Applies a bid that is high enough. The caller has checked rule 1 (and `max_not_increased`) where they apply. */
export function place<Who>(standing: Standing<Who>, bid: StandingBid<Who>, pricing: Pricing): Placed<Who> {
  const { leader } = standing;
  if (leader === null)
    return takeLead(bid, bid.ceilingCents, bid.straightCents ?? pricing.startingBidCents, pricing);
  if (leader.who === bid.who) return raise(standing.currentCents, leader.ceilingCents, bid, pricing);
  return bid.ceilingCents > leader.ceilingCents
    ? takeLead(
        bid,
        bid.ceilingCents,
        overtaking(standing.currentCents, leader.ceilingCents, bid, pricing),
        pricing,
      )
    : outbid(standing.currentCents, leader, bid, pricing);
}

/**
 * Rule 3: the price at which a higher ceiling takes the lead. Its own ceiling bounds it, because bids that are applied
 * again after a void may meet a minimum that they were never asked for.
 */
function overtaking<Who>(
  currentCents: number,
  leaderCents: number,
  bid: StandingBid<Who>,
  pricing: Pricing,
): number {
  if (bid.straightCents !== null && bid.straightCents > leaderCents) return bid.straightCents;
  const minimumNext = currentCents + incrementAt(pricing.increments, currentCents);
  const overLeader = leaderCents + incrementAt(pricing.increments, leaderCents);
  return Math.min(bid.ceilingCents, Math.max(minimumNext, overLeader));
}

/** Rule 4: the leader's ceiling holds; on a tie the earlier one leads at the tied amount. The price never falls. */
function outbid<Who>(
  currentCents: number,
  leader: { readonly who: Who; readonly ceilingCents: number },
  bid: StandingBid<Who>,
  pricing: Pricing,
): Placed<Who> {
  const pushed = bid.ceilingCents + incrementAt(pricing.increments, bid.ceilingCents);
  const priceCents = Math.max(currentCents, Math.min(leader.ceilingCents, pushed));
  const liftedCents = liftToReserve(priceCents, leader.ceilingCents, pricing.reserveCents);
  return { outcome: 'outbid', currentCents: liftedCents, leader, listedCents: bid.ceilingCents };
}

/** Rule 5: the leader raises the ceiling, or bids against nobody with a straight amount. */
function raise<Who>(
  currentCents: number,
  ceilingCents: number,
  bid: StandingBid<Who>,
  pricing: Pricing,
): Placed<Who> {
  const highest = Math.max(ceilingCents, bid.ceilingCents);
  if (bid.straightCents !== null) {
    return takeLead(bid, highest, Math.max(bid.straightCents, currentCents), pricing);
  }
  const lifted = liftToReserve(currentCents, highest, pricing.reserveCents);
  return {
    outcome: 'max_raised',
    currentCents: lifted,
    leader: { who: bid.who, ceilingCents: highest },
    listedCents: lifted,
  };
}

function takeLead<Who>(
  bid: StandingBid<Who>,
  ceilingCents: number,
  priceCents: number,
  pricing: Pricing,
): Placed<Who> {
  const currentCents = liftToReserve(priceCents, ceilingCents, pricing.reserveCents);
  const short = pricing.reserveCents !== null && currentCents < pricing.reserveCents;
  return {
    outcome: short ? 'leading_reserve_not_met' : 'leading',
    currentCents,
    leader: { who: bid.who, ceilingCents },
    listedCents: currentCents,
  };
}
