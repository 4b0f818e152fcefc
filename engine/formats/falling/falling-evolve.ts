/** Folds one event into the state of a lot on a falling clock. Events carry their consequences. */
import { evolveCommon } from '../../lot/evolve-common.ts';
import { UNSCHEDULED } from '../../lot/state.ts';
import type { FallingBidPlaced, FallingEvent } from './falling-events.ts';
import { clockOf } from './falling-settings.ts';
import type { FallingState } from './falling-state.ts';

/** The state before the first event: what `lot_scheduled` is folded into. */
export const NO_LOT: FallingState = {
  format: 'falling',
  ...UNSCHEDULED,
  stepCents: 1,
  stepSeconds: 1,
  floorCents: 0,
  floorSeconds: 0,
  quantity: 1,
  taken: [],
};

export function evolve(state: FallingState, event: FallingEvent): FallingState {
  switch (event.type) {
    case 'bid_placed':
      return bidPlaced(state, event);
    case 'bid_voided': {
      const { sequence, currentCents, bidCount, bidId } = event;
      const taken = state.taken.filter((one) => one.bidId !== bidId);
      return { ...state, sequence, currentCents, bidCount, taken };
    }
    case 'lot_scheduled':
      return { ...evolveCommon(state, event), ...clockOf(event.settings ?? {}, event.decimals ?? 2) };
    default:
      return evolveCommon(state, event);
  }
}

function bidPlaced(state: FallingState, event: FallingBidPlaced): FallingState {
  const { sequence, bidId, bidder, take, amountCents: cents, currentCents, bidCount } = event;
  const { key, userId, alias, paddle } = bidder;
  const taken = [...state.taken, { bidId, key, userId, alias, paddle, cents, take }];
  return { ...state, sequence, currentCents, bidCount, taken, frozen: true };
}
