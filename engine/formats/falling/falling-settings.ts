/** What a lot on a falling clock is set to, under the names that its journal and answers have. */

import type { ShownFields } from '../../lot/shown-fields.ts';
import { type Decimals, formatCents, parseCents } from '../../money.ts';
import type { Clock, FallingState } from './falling-state.ts';

type Set = Clock & Pick<FallingState, 'quantity'>;

/** As the journal's first entry has it. Throws where something of it is missing. */
export function clockOf(settings: ShownFields, decimals: Decimals): Set {
  const amount = (name: string) => known(name, parseCents(settings[name], decimals));
  const count = (name: string) => known(name, Number(settings[name]));
  return {
    startingBidCents: amount('start_price'),
    stepCents: amount('step'),
    stepSeconds: count('step_seconds'),
    floorCents: amount('floor_price'),
    floorSeconds: count('floor_seconds'),
    quantity: count('quantity'),
  };
}

function known(name: string, value: number | null): number {
  if (value === null || !Number.isSafeInteger(value)) throw new Error(`the lot says nothing of its ${name}`);
  return value;
}

/** As answers show it. */
export function shownClock(clock: Clock, decimals: Decimals): ShownFields {
  return {
    start_price: formatCents(clock.startingBidCents, decimals),
    step: formatCents(clock.stepCents, decimals),
    step_seconds: clock.stepSeconds,
    floor_price: formatCents(clock.floorCents, decimals),
    floor_seconds: clock.floorSeconds,
  };
}
