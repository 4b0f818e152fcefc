/** How a lot with rising bids ends: what the clock or a purchase closes it with. */
import type { LotClosed } from '../../lot/events.ts';
import { totalOf } from '../../lot/units.ts';
import type { EnglishBidPlaced } from './english-events.ts';
import { type EnglishState, reserveMet } from './english-state.ts';

type Unsequenced<T> = Omit<T, 'sequence'>;

/** Rule 10: sold (a leader, reserve met), passed (a leader, reserve not met) or unsold (no bids). */
export function closedByTime(state: EnglishState): Unsequenced<LotClosed> {
  const common = { type: 'lot_closed', reason: 'time', flags: [], floor: null, saleFacts: null } as const;
  if (state.leader === null) return { ...common, status: 'unsold', hammerCents: null, winner: null };
  if (!reserveMet(state)) return { ...common, status: 'passed', hammerCents: null, winner: null };
  const { key, userId, alias, paddle } = state.leader;
  return {
    ...common,
    status: 'sold',
    hammerCents: totalOf(state.units, state.currentCents),
    winner: { key, userId, alias, paddle },
  };
}

/** Rule 13: what a purchase at the buy-now price closes the lot with. */
export function closedByPurchase({ bidder, hammerCents }: EnglishBidPlaced): Unsequenced<LotClosed> {
  const common = { flags: [], floor: null, saleFacts: null } as const;
  return {
    type: 'lot_closed',
    reason: 'buy_now',
    status: 'sold',
    hammerCents,
    winner: { ...bidder },
    ...common,
  };
}
