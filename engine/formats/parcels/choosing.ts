/**
 * Which bids lead (rule 23): of all choices of bids that do not overlap the one with the highest total; of equal totals
 * their sequences are compared one by one in ascending order, and the smaller first difference wins. Exact: what each
 * set of lots can bring is worked out once, by what happens to its lowest lot. Pure; totals stay below 2^53.
 */
import { itemAt } from '../../first-of.ts';
import type { LotSet } from './parcels-state.ts';

/** What a choice is made of; totals are above 0, and sequences differ. */
export interface Offer {
  readonly set: LotSet;
  readonly totalCents: number;
  readonly sequence: number;
}

export interface Chooser<O extends Offer> {
  /** The highest total that the lots of a set can bring. */
  best(within: LotSet): number;
  /** The choice that leads there, in ascending order of sequences. */
  choose(within: LotSet): O[];
}

/** Offers by the lowest lot of their sets; of each, what it brings. */
interface Group {
  readonly sets: Int32Array;
  readonly totals: Float64Array;
}

/** For the lots of `lotCount` lots at most; bids on others lead nowhere. */
export function chooserOf<O extends Offer>(offers: readonly O[], lotCount: number): Chooser<O> {
  const useful = highestOfEachSet(offers, lotCount);
  const groups = groupsOf(useful, lotCount);
  const atMost = boundOf(useful, lotCount);
  // One more than what a set can bring: 0 is not known yet.
  const known = new Float64Array(1 << lotCount);
  known[0] = 1;

  const best = (within: LotSet): number => {
    const before = known[within] ?? 0;
    if (before > 0) return before - 1;
    const { sets, totals } = itemAt(groups, lowestOf(within));
    const others = within & (within - 1);
    let highest = 0;
    for (let at = 0; at < sets.length; at += 1) {
      const set = sets[at] ?? 0;
      if ((set & ~within) === 0) highest = highestWith(within ^ set, totals[at] ?? 0, highest);
    }
    if (atMost(others) > highest) highest = Math.max(highest, best(others));
    known[within] = highest + 1;
    return highest;
  };

  /** The highest so far, or the total of an offer with what the rest can bring. */
  const highestWith = (rest: LotSet, total: number, highest: number): number => {
    const found = known[rest] ?? 0;
    if (found > 0) return Math.max(highest, total + found - 1);
    return total + atMost(rest) > highest ? Math.max(highest, total + best(rest)) : highest;
  };

  /**
   * Takes each bid, the earliest first, with which the total can still be reached: so the first of all bids that are in
   * one of two such choices and not in the other is in the one that is taken.
   */
  const choose = (within: LotSet): O[] => {
    const chosen: O[] = [];
    let left = within;
    for (const offer of useful) {
      if ((offer.set & ~left) !== 0) continue;
      const wanted = best(left) - offer.totalCents;
      const rest = left ^ offer.set;
      if (atMost(rest) < wanted || best(rest) !== wanted) continue;
      chosen.push(offer);
      left = rest;
    }
    return chosen;
  };

  return { best, choose };
}

/** The most for a lot first: then most of the others cannot bring more, and are not looked into. */
function groupsOf(offers: readonly Offer[], lotCount: number): Group[] {
  const byLowest: Offer[][] = Array.from({ length: lotCount }, () => []);
  for (const offer of offers) itemAt(byLowest, lowestOf(offer.set)).push(offer);
  return byLowest.map((group) => {
    const inOrder = group.sort((one, other) => perLot(other) - perLot(one));
    return {
      sets: Int32Array.from(inOrder, ({ set }) => set),
      totals: Float64Array.from(inOrder, ({ totalCents }) => totalCents),
    };
  });
}

/** What a set can bring at most: for each of its lots the most that a bid has for one of its own on average. */
function boundOf(offers: readonly Offer[], lotCount: number): (within: LotSet) => number {
  const most = new Float64Array(lotCount);
  for (const offer of offers) {
    const share = Math.ceil(perLot(offer));
    for (let left = offer.set; left !== 0; left &= left - 1) {
      const at = lowestOf(left);
      if (share > (most[at] ?? 0)) most[at] = share;
    }
  }
  const [low, high] = [sumsOf(most.subarray(0, HALF)), sumsOf(most.subarray(HALF))];
  return (within) => (low[within & (low.length - 1)] ?? 0) + (high[within >> HALF] ?? 0);
}

const HALF = 8;

/** The sum over every set of these. */
function sumsOf(each: Float64Array): Float64Array {
  const sums = new Float64Array(1 << each.length);
  for (let set = 1; set < sums.length; set += 1)
    sums[set] = (sums[set & (set - 1)] ?? 0) + (each[lowestOf(set)] ?? 0);
  return sums;
}

function perLot({ set, totalCents }: Offer): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count += 1;
  return totalCents / count;
}

/** Of bids on the same lots only the highest can lead, of equal ones the earliest; in ascending order of sequences. */
function highestOfEachSet<O extends Offer>(offers: readonly O[], lotCount: number): O[] {
  const highest = new Map<LotSet, O>();
  for (const offer of offers) {
    if (offer.set >= 1 << lotCount) continue;
    const other = highest.get(offer.set);
    if (other === undefined || isBefore(offer, other)) highest.set(offer.set, offer);
  }
  return [...highest.values()].sort((one, other) => one.sequence - other.sequence);
}

function isBefore(one: Offer, other: Offer): boolean {
  const more = one.totalCents - other.totalCents;
  return more > 0 || (more === 0 && one.sequence < other.sequence);
}

/** The place of a set's lowest lot. */
function lowestOf(set: LotSet): number {
  return 31 - Math.clz32(set & -set);
}

/** Whether a choice comes before another of the same total: both in ascending order of sequences. */
export function comesBefore(one: readonly number[], other: readonly number[]): boolean {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const difference = itemAt(one, at) - itemAt(other, at);
    if (difference !== 0) return difference < 0;
  }
  return one.length > other.length;
}
