/**
 * When a bid has to be confirmed before it is placed, and what the question says: over three times the minimum next
 * bid, by the leader on their own price, or above the auction's own factor. The engine knows only the last rule; the
 * others catch typing errors.
 */
import { type LotUnits, totalOf } from '../../../engine/lot/units.ts';
import type { BidInput } from '../../bidding/bids/bid.schema.ts';
import { type SaleTerms, saleAmounts } from '../../shared/sale-amounts.ts';

const FACTOR = 3;

export interface Confirmation {
  readonly reason: string;
  /** What winning at this amount costs, in cents. */
  readonly cost: ReturnType<typeof saleAmounts>;
  readonly isCeiling: boolean;
}

export interface BidToConfirm {
  readonly minimumNextCents: number;
  readonly leads: boolean;
  readonly terms: SaleTerms;
  /** What amounts are prices of. */
  readonly units: LotUnits | null;
}

/** The confirmation that a bid needs, or null. */
export function confirmationBefore(bid: BidInput, lot: BidToConfirm): Confirmation | null {
  const highest = Math.max(bid.straightCents ?? 0, bid.ceilingCents ?? 0);
  if (lot.leads && bid.straightCents !== null) {
    return confirmationOf(bid, lot, 'You are already the high bidder. This bid raises your own price.');
  }
  if (highest > FACTOR * lot.minimumNextCents) {
    return confirmationOf(bid, lot, 'This is more than three times the minimum next bid.');
  }
  return null;
}

/** A confirmation with a reason of one's own. */
export function confirmationOf(
  bid: BidInput,
  { terms, units }: Pick<BidToConfirm, 'terms' | 'units'>,
  reason: string,
): Confirmation {
  const straightCents = bid.straightCents ?? 0;
  const highest = Math.max(straightCents, bid.ceilingCents ?? 0);
  const isCeiling = highest > straightCents;
  return { reason, cost: saleAmounts(totalOf(units, highest), terms), isCeiling };
}
