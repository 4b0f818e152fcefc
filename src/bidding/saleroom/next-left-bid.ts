/**
 * Which of the absentee bids for a lot the house calls next, and at what amount. Never above its maximum, and no
 * higher than it takes to beat the other absentee bids: the highest maximum wins, of equal ones the one left first, for
 * an increment over the next (or for its own maximum, where that is nearer).
 */
import { type Increment, incrementAt } from '../../../engine/auction/increments.ts';

export interface AbsenteeBid {
  readonly paddle: string;
  readonly maxCents: number;
}

export interface LotNow {
  /** Null: nobody leads. */
  readonly leaderPaddle: string | null;
  /** The least amount that is taken. */
  readonly minimumCents: number;
  readonly increments: readonly Increment[];
}

export interface NextLeftBid {
  readonly paddle: string;
  readonly cents: number;
}

/** `bids` in the order in which they were left. Null: none of them can bid, or the best one leads and none beats it. */
export function nextLeftBid(bids: readonly AbsenteeBid[], lot: LotNow): NextLeftBid | null {
  const { leaderPaddle, minimumCents, increments } = lot;
  const best = byMaximum(bids);
  const leading = best.find(({ paddle }) => paddle === leaderPaddle);
  const [first, second] = best.filter(
    ({ paddle, maxCents }) => paddle !== leaderPaddle && maxCents >= minimumCents,
  );
  if (first === undefined) return null;
  if (leading !== undefined && best.indexOf(leading) < best.indexOf(first)) {
    // It is called only as far as the better one, which leads, can answer.
    const answered = minimumCents + incrementAt(increments, minimumCents);
    return answered > leading.maxCents ? null : { paddle: first.paddle, cents: minimumCents };
  }
  const beaten = Math.max(second?.maxCents ?? 0, leading?.maxCents ?? 0);
  const over = beaten + incrementAt(increments, beaten);
  const cents = beaten < minimumCents ? minimumCents : Math.min(first.maxCents, over);
  return { paddle: first.paddle, cents };
}

/** The best first, one of each paddle: lots that are offered together may have several. */
export function byMaximum<T extends AbsenteeBid>(bids: readonly T[]): readonly T[] {
  const best = bids.toSorted((one, other) => other.maxCents - one.maxCents);
  return best.filter(({ paddle }, index) => best.findIndex((one) => one.paddle === paddle) === index);
}
