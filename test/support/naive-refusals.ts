import { ceilingOf } from './naive-lead.ts';
import type { NaiveBid, NaiveWorld } from './naive-terms.ts';
import { closingOf, endOf, isCompanyOver, lotOf, pausedSince, viewLot, wholeOf } from './naive-views.ts';

/**
 * Why the naive model refuses a bid or a purchase, one function for each group of the refusals' order: the lot's
 * state, the person, the currency, the price with the limit and the confirmation. Each returns a refusal code or
 * null. Called by the naive rules.
 */

export function refusedByLot(world: NaiveWorld, lotId: number, nowUs: number): string | null {
  const closing = closingOf(world, lotId);
  if (closing?.closedAs === 'withdrawn') return 'lot_withdrawn';
  const isOver = closing === null && isCompanyOver(world, lotId);
  if (pausedSince(world) !== null && !isOver) return 'auction_paused';
  if (closing !== null || isOver) return 'lot_closed';
  // Rule 14: a simulcast lot takes bids until the floor closes it.
  if (world.auction.type === 'timed' && nowUs >= endOf(world, lotId)) return 'lot_closed';
  if (nowUs < lotOf(world, lotId).startsAtUs) return 'lot_not_started';
  return null;
}

export function refusedByPerson(
  world: NaiveWorld,
  lotId: number,
  who: string,
  online: boolean,
): string | null {
  const bidder = world.bidders[who];
  // reading: a floor bidder without an account is nobody's owner and needs no registration.
  if (bidder === undefined) return null;
  if (world.auction.ownerUserIds.includes(bidder.userId)) return 'seller_cannot_bid';
  if (lotOf(world, lotId).consignorUserId === bidder.userId) return 'seller_cannot_bid';
  if (bidder.suspended || bidder.registration?.status === 'suspended') return 'bidder_suspended';
  // reading: the auctioneer has let in whoever bids on the floor; verification and registration are asked online only.
  if (!online) return null;
  const { mode, requireVerified, hasConditions } = world.auction.registration;
  if (requireVerified && !bidder.verified) return 'verification_required';
  if (hasConditions && !bidder.registration?.hasAccepted) return 'registration_required';
  // reading: a declined registration is none, and a decision stands in an open auction too.
  if (bidder.registration?.status === 'declined') return 'registration_required';
  if (mode === 'approval') {
    if (bidder.registration?.status === 'pending') return 'registration_pending';
    if (bidder.registration?.status !== 'approved') return 'registration_required';
  }
  // reading: in a deposit auction the paid deposit is all that is asked.
  if (mode === 'deposit' && bidder.registration?.depositPaid !== true) return 'deposit_required';
  return null;
}

export function refusedByCurrency(world: NaiveWorld, currency: string | null): string | null {
  const differs = currency !== null && currency.toLowerCase() !== world.auction.currency.toLowerCase();
  return differs ? 'currency_mismatch' : null;
}

/** Rule 12's limit. reading: a limit on the registration is in the place of the auction's. */
export function refusedByLimit(
  world: NaiveWorld,
  lotId: number,
  who: string,
  newCeilingCents: number,
): string | null {
  const bidder = world.bidders[who];
  if (bidder === undefined) return null;
  // Without one, what sums are still exact for.
  const limit = bidder.registration?.bidLimitCents ?? world.auction.registration.bidLimitCents ?? 2 ** 52;
  let sum = wholeOf(lotOf(world, lotId), newCeilingCents);
  for (const lot of world.lots) {
    const view = viewLot(world, lot.lotId);
    if (lot.lotId !== lotId && view.status === 'open' && view.leader === who)
      sum += wholeOf(lot, view.ceilingCents);
  }
  return sum > limit ? 'bid_limit_exceeded' : null;
}

export function refusedByPrice(world: NaiveWorld, bid: NaiveBid, online: boolean): string | null {
  const view = viewLot(world, bid.lotId);
  const isLeader = view.leader === bid.who;
  const newCeiling = ceilingOf(bid);
  if (isLeader && bid.straightCents === null) {
    if (newCeiling <= view.ceilingCents) return 'max_not_increased';
  } else if ((bid.straightCents ?? newCeiling) < view.minimumNextCents) {
    return 'bid_too_low';
  }
  const ceilingThen = isLeader ? Math.max(view.ceilingCents, newCeiling) : newCeiling;
  const overLimit = refusedByLimit(world, bid.lotId, bid.who, ceilingThen);
  if (overLimit !== null) return overLimit;
  // reading: what a floor bidder calls out is confirmed; only an online bid can be asked again. A raise can be.
  const factor = world.auction.confirmFactor;
  const large = factor > 0 && newCeiling > factor * view.minimumNextCents;
  return large && online && !bid.confirm ? 'bid_confirmation_required' : null;
}
