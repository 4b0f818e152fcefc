/**
 * Where two processes fight over a lot, whoever has just committed lets the other go first: what the one decides meanwhile would be
 * thrown away whole. Called by the lot's actor before it decides a long queue.
 */

import type { LotState } from '../lot/state.ts';
import type { Journal } from './journal.ts';

/** How often it is looked whether the other has had its turn. */
const MOST_LOOKS = 4;

/** Looks until the lot has moved on from `sequence`, or a few times. A journal that is away is the next commit's to tell. */
export async function refreshUntilMoved(
  journal: Journal,
  auctionId: number,
  lotId: number,
  sequence: number,
): Promise<LotState | 'same' | 'gone'> {
  try {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      const state = await journal.load(auctionId, lotId);
      if (state === null) return 'gone';
      if (state.sequence !== sequence) return state;
    }
  } catch {
    // Whoever asks is told by the commit that comes next.
  }
  return 'same';
}
