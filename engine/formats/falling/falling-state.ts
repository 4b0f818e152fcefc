/**
 * A lot on a falling clock: what every lot has, how its price falls, and what has been taken of it. `startingBidCents`
 * is the price that it starts at. Read outside this format only through its views.
 */
import type { BidderKey } from '../../auction/record.ts';
import { isClosed, type LotState } from '../../lot/state.ts';
import { totalOf } from '../../lot/units.ts';

/** How the price falls (rule 21): by `stepCents` every `stepSeconds`, down to `floorCents`, and stays there. */
export interface Clock {
  readonly startingBidCents: number;
  readonly stepCents: number;
  readonly stepSeconds: number;
  readonly floorCents: number;
  /** How long the lot stays open at the floor. */
  readonly floorSeconds: number;
}

/** What somebody has bought. */
export interface Taken {
  readonly bidId: string;
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  /** The price of one piece. */
  readonly cents: number;
  readonly take: number;
}

export interface FallingState extends LotState, Clock {
  /** How many pieces the lot has. */
  readonly quantity: number;
  /** Those that stand, in their order. */
  readonly taken: readonly Taken[];
}

const SECOND_US = 1_000_000;

/** How long the lot is open. */
export function durationUs(clock: Clock): number {
  const steps = Math.ceil((clock.startingBidCents - clock.floorCents) / clock.stepCents);
  return (steps * clock.stepSeconds + clock.floorSeconds) * SECOND_US;
}

type Started = Clock & Pick<LotState, 'startsAtUs'>;

/** How often the price has fallen; before the start not at all. */
function stepsAt({ startsAtUs, stepSeconds }: Started, atUs: number): number {
  return Math.floor(Math.max(0, atUs - startsAtUs) / (stepSeconds * SECOND_US));
}

/** Rule 21: the price of one piece at a moment. */
export function priceAt(state: Started, atUs: number): number {
  return Math.max(state.floorCents, state.startingBidCents - state.stepCents * stepsAt(state, atUs));
}

/** When the price falls next; null: it is at the floor. */
export function nextFallUs(state: Started, atUs: number): number | null {
  if (priceAt(state, atUs) === state.floorCents) return null;
  return state.startsAtUs + (stepsAt(state, atUs) + 1) * state.stepSeconds * SECOND_US;
}

/** The moment whose price is shown: the clock stands while the lot is paused, and once it is over. */
export function shownMoment(state: FallingState, nowUs: number): number {
  const stands = state.paused || isClosed(state) || state.status === 'withdrawn';
  return Math.min(stands ? state.recordedAtUs : nowUs, state.endsAtUs);
}

export function quantityLeft({ quantity, taken }: Pick<FallingState, 'quantity' | 'taken'>): number {
  return taken.reduce((left, { take }) => left - take, quantity);
}

/** What a bid comes to: pieces at the price, or, where the price is for one unit, the lot's units. */
export function takenCents(
  { units }: Pick<LotState, 'units'>,
  { cents, take }: Pick<Taken, 'cents' | 'take'>,
): number {
  return totalOf(units, cents) * take;
}
