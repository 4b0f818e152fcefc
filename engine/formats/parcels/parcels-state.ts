/**
 * The tracts of an auction, sold as one in any combination: the sale, its lots and all bids that stand (rule 23). The
 * fields that every lot has are those of the lot that the state faces, at first the one whose journal it is; but
 * `status`, unless it was turned, is the sale's. Read outside this format only through its faces and views.
 */
import type { BidderKey } from '../../auction/record.ts';
import { itemAt } from '../../first-of.ts';
import type { Channel } from '../../lot/channels.ts';
import type { LotState, LotStatus, Winner } from '../../lot/state.ts';
import { isPerUnit, type LotUnits, totalOf } from '../../lot/units.ts';
import type { HeldSale } from './parcels-events.ts';

/** A set of the sale's lots: bit n is the n-th by number. */
export type LotSet = number;

/** One of the sale's lots. */
export interface ParcelLot {
  readonly lotId: number;
  readonly lotNumber: number;
  readonly units: LotUnits | null;
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly consignorUserId: number | null;
  readonly status: LotStatus;
  /** A bid has named it. */
  readonly frozen: boolean;
  readonly reserveLowered: boolean;
  /** Its share of what its set was sold for; set once, by the close. */
  readonly hammerCents: number | null;
  readonly winner: Winner | null;
  /** The bid that bought it, with the others of its set. */
  readonly setBidId: string | null;
}

/** A bid that stands. */
export interface ParcelBid {
  readonly bidId: string;
  readonly sequence: number;
  readonly set: LotSet;
  /** As it was bid: for the set, or for one unit of it. */
  readonly cents: number;
  /** What it comes to for the set. */
  readonly totalCents: number;
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  readonly channel: Channel;
}

export interface ParcelsState extends LotState {
  /** By number. */
  readonly lots: readonly ParcelLot[];
  /** In the order in which they came. */
  readonly bids: readonly ParcelBid[];
  /** The ids of those that lead, in the same order. */
  readonly leading: readonly string[];
  /** What they come to. */
  readonly totalCents: number;
  readonly wholeReserveCents: number | null;
  readonly sellParts: boolean;
  /** From when on several lots are bid on together; null: from the start. */
  readonly combinationsFromUs: number | null;
  /** What the hammer has decided and may be taken back; null: nothing. */
  readonly held: HeldSale | null;
}

/** What a sale has come to, the first of these that one of its lots has. */
export const ENDS = ['sold', 'passed', 'unsold', 'withdrawn'] as const;

/** The lot of this id; undefined: the sale has none. */
export function lotOf({ lots }: Pick<ParcelsState, 'lots'>, lotId: number): ParcelLot | undefined {
  return lots.find((lot) => lot.lotId === lotId);
}

/** The set of these lots; null: one of them is not of the sale. */
export function setOf({ lots }: Pick<ParcelsState, 'lots'>, lotIds: readonly number[]): LotSet | null {
  let set = 0;
  for (const lotId of lotIds) {
    const at = lots.findIndex((lot) => lot.lotId === lotId);
    if (at < 0) return null;
    set |= 1 << at;
  }
  return set;
}

/** The lots of a set, by number. */
export function lotsIn<L>({ lots }: { readonly lots: readonly L[] }, set: LotSet): L[] {
  return lots.filter((_, at) => (set & (1 << at)) !== 0);
}

export function idsIn(state: Pick<ParcelsState, 'lots'>, set: LotSet): number[] {
  return lotsIn(state, set).map(({ lotId }) => lotId);
}

export function isOpenLot({ status }: Pick<ParcelLot, 'status'>): boolean {
  return status === 'scheduled' || status === 'active';
}

/** The lots that are for sale, or were at the end. */
export function offeredSet({ lots }: Pick<ParcelsState, 'lots'>): LotSet {
  return lots.reduce((set, { status }, at) => (status === 'withdrawn' ? set : set | (1 << at)), 0);
}

/** The lots that are still to be sold. */
export function openSet({ lots }: Pick<ParcelsState, 'lots'>): LotSet {
  return lots.reduce((set, lot, at) => (isOpenLot(lot) ? set | (1 << at) : set), 0);
}

/** What amounts for a set are for: its units together, all of which are named as the first's. */
export function unitsOf(state: Pick<ParcelsState, 'lots'>, set: LotSet): LotUnits | null {
  const all = lotsIn(state, set).map(({ units }) => units);
  const count = all.reduce<number | null>(
    (sum, units) => (sum === null || units === null || units.count === null ? null : sum + units.count),
    0,
  );
  if (count === null || all.length === 0) return null;
  const first = itemAt(all, 0);
  return { count, name: first?.name ?? null, isPriced: isPerUnit(first) };
}

/** What an amount for a set comes to. */
export function setTotal(state: Pick<ParcelsState, 'lots'>, set: LotSet, cents: number): number {
  return totalOf(unitsOf(state, set), cents);
}

/** The bids that lead, in the order in which they came. */
export function leadingBids({ bids, leading }: Pick<ParcelsState, 'bids' | 'leading'>): ParcelBid[] {
  return bids.filter(({ bidId }) => leading.includes(bidId));
}

/** The bid that leads on a lot, if one does. */
export function leadingOn(state: Pick<ParcelsState, 'lots' | 'bids' | 'leading'>, lotId: number) {
  const set = setOf(state, [lotId]) ?? 0;
  return leadingBids(state).find((bid) => (bid.set & set) !== 0) ?? null;
}
