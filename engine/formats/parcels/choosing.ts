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

/** Sets and what they bring, by the lowest lot of each. */
interface Group {
  readonly sets: number[];
  readonly totals: number[];
}

/** For the lots of `lotCount` lots at most; bids on others lead nowhere. */
export function chooserOf<O extends Offer>(offers: readonly O[], lotCount: number): Chooser<O> {
  const useful = highestOfEachSet(offers).filter(({ set }) => set < 1 << lotCount);
  const groups: Group[] = Array.from({ length: lotCount }, () => ({ sets: [], totals: [] }));
  for (const { set, totalCents } of useful) {
    const group = itemAt(groups, lowestOf(set));
    group.sets.push(set);
    group.totals.push(totalCents);
  }
  // One more than what a set can bring: 0 is not known yet.
  const known = new Float64Array(1 << lotCount);
  known[0] = 1;

  const best = (within: LotSet): number => {
    const before = known[within] ?? 0;
    if (before > 0) return before - 1;
    const { sets, totals } = itemAt(groups, lowestOf(within));
    let highest = best(within & (within - 1));
    for (let at = 0; at < sets.length; at += 1) {
      const set = sets[at] ?? 0;
      if ((set & ~within) !== 0) continue;
      const total = (totals[at] ?? 0) + best(within ^ set);
      if (total > highest) highest = total;
    }
    known[within] = highest + 1;
    return highest;
  };

  return { best, choose: (within) => earliest(useful, within, best) };
}

/**
 * Takes each bid, the earliest first, with which the total can still be reached: so the first of all bids that are in
 * one of two such choices and not in the other is in the one that is taken.
 */
function earliest<O extends Offer>(
  offers: readonly O[],
  within: LotSet,
  best: (within: LotSet) => number,
): O[] {
  const chosen: O[] = [];
  let left = within;
  for (const offer of offers) {
    if ((offer.set & ~left) !== 0) continue;
    if (offer.totalCents + best(left ^ offer.set) !== best(left)) continue;
    chosen.push(offer);
    left ^= offer.set;
  }
  return chosen;
}

/** Of bids on the same lots only the highest can lead, of equal ones the earliest; in ascending order of sequences. */
function highestOfEachSet<O extends Offer>(offers: readonly O[]): O[] {
  const highest = new Map<LotSet, O>();
  for (const offer of offers) {
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
