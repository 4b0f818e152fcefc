/** What a bid on a set of tracts must reach: its minimum, and the least with which it would lead now (rule 23). */
import { type Increment, incrementAt } from '../../auction/increments.ts';
import { type LotUnits, totalOf } from '../../lot/units.ts';
import { chooserOf, comesBefore } from './choosing.ts';
import {
  type LotSet,
  leadingBids,
  lotsIn,
  openSet,
  type ParcelBid,
  type ParcelsState,
  unitsOf,
} from './parcels-state.ts';

/** The sale as bids are judged by. */
type Sale = Pick<ParcelsState, 'lots' | 'bids' | 'leading' | 'totalCents'>;

/** What leads of these bids, the first of them first. */
export function choiceOf(
  lots: Sale['lots'],
  bids: readonly ParcelBid[],
  within: LotSet = openSet({ lots }),
): ParcelBid[] {
  return chooserOf(bids, lots.length).choose(within);
}

/** What a choice comes to. */
export function sumOf(bids: readonly { readonly totalCents: number }[]): number {
  return bids.reduce((sum, { totalCents }) => sum + totalCents, 0);
}

/** The highest bid that stands on exactly this set; null: none does. */
export function highestOn({ bids }: Pick<Sale, 'bids'>, set: LotSet): ParcelBid | null {
  let highest: ParcelBid | null = null;
  for (const bid of bids) if (bid.set === set && bid.cents > (highest?.cents ?? -1)) highest = bid;
  return highest;
}

/** The least that is taken for a set, as bids on it are. */
export function minimumCents(
  state: Pick<Sale, 'lots' | 'bids'>,
  set: LotSet,
  increments: readonly Increment[],
): number {
  const highest = highestOn(state, set);
  if (highest !== null) return highest.cents + incrementAt(increments, highest.cents);
  const startCents = lotsIn(state, set).reduce(
    (sum, { units, startingBidCents }) => sum + totalOf(units, startingBidCents),
    0,
  );
  // Nobody bids nothing.
  return leastReaching(unitsOf(state, set), Math.max(1, startCents));
}

const UNIT_PARTS = 10_000n;

/** The least amount whose total reaches another. */
export function leastReaching(units: LotUnits | null, totalCents: number): number {
  if (units === null || !units.isPriced || units.count === null) return totalCents;
  const count = BigInt(units.count);
  // Totals are rounded half up: half a part less is enough.
  const parts = BigInt(totalCents) * UNIT_PARTS - UNIT_PARTS / 2n;
  return Number((parts + count - 1n) / count);
}

/** What a bid on a set comes up against. */
export interface Rivals {
  /** The least amount with which it would lead, not under the minimum. */
  readonly priceCents: number;
  /** The bids that would lead beside it. */
  readonly beside: readonly ParcelBid[];
}

/** What stands between a set and leading now, for a bid that comes after all others. */
export function rivalsOf(state: Sale, set: LotSet, minimum: number): Rivals {
  const beside = choiceOf(state.lots, state.bids, openSet(state) & ~set);
  const needed = leastTotal(leadingBids(state), beside, Number.MAX_SAFE_INTEGER);
  return { priceCents: Math.max(minimum, leastReaching(unitsOf(state, set), needed)), beside };
}

/** The least total with which a bid leads, against those that lead without it, with those that would beside it. */
export function leastTotal(
  leading: readonly ParcelBid[],
  beside: readonly ParcelBid[],
  sequence: number,
): number {
  const withIt = [...sequencesOf(beside), sequence].sort((one, other) => one - other);
  const missing = sumOf(leading) - sumOf(beside);
  return Math.max(1, comesBefore(withIt, sequencesOf(leading)) ? missing : missing + 1);
}

function sequencesOf(bids: readonly ParcelBid[]): number[] {
  return bids.map(({ sequence }) => sequence);
}

/** What a bidder may have to pay: the highest total of their own bids that do not overlap, on lots that are open. */
export function exposureOf({ lots, bids }: Pick<Sale, 'lots' | 'bids'>, key: string): number {
  const open = openSet({ lots });
  if (open === 0) return 0;
  return ownTotal(
    bids.filter((bid) => bid.key === key),
    lots.length,
    open,
  );
}

/** The highest total of some bids that do not overlap. */
export function ownTotal(
  bids: readonly Pick<ParcelBid, 'set' | 'totalCents' | 'sequence'>[],
  lotCount: number,
  open: LotSet,
): number {
  if (bids.length < 2) return bids.reduce((sum, bid) => ((bid.set & ~open) === 0 ? bid.totalCents : sum), 0);
  return chooserOf(bids, lotCount).best(open);
}
