/** The soft close: how a late bid moves the end of a lot, in every format whose ends bids move (rule 8). */
import type { AuctionRecord } from '../auction/record.ts';
import type { Explain } from './reasons.ts';
import type { LotState } from './state.ts';

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
