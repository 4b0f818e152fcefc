/** How a lot with rising bids ends: what the clock or a purchase closes it with, and how a late bid moves its end. */
import type { AuctionRecord } from '../../auction/record.ts';
import type { LotClosed } from '../../lot/events.ts';
import type { Explain } from '../../lot/reasons.ts';
import type { LotState } from '../../lot/state.ts';
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

/**
 * Rule 8: the end that a bid accepted now, which changed the leader or the current bid, moves the lot to; null when it
 * moves nothing. A simulcast lot takes bids past its end: then nothing is left, which is less than any window.
 */
export function extendedEndUs(
  { endsAtUs, extensionCount }: LotState,
  { softClose }: AuctionRecord,
  nowUs: number,
  explain?: Explain,
): number | null {
  const { windowSeconds, extensionSeconds, maxExtensions } = softClose;
  const leftUs = endsAtUs - nowUs;
  const isClose = windowSeconds !== 0 && leftUs < windowSeconds * 1_000_000;
  const mayMove = isClose && (maxExtensions === null || extensionCount < maxExtensions);
  const extendedUs = nowUs + extensionSeconds * 1_000_000;
  const movedToUs = mayMove && extendedUs > endsAtUs ? extendedUs : null;
  explain?.({ rule: 8, leftUs, ...softClose, extensionCount, endsAtUs, movedToUs });
  return movedToUs;
}
