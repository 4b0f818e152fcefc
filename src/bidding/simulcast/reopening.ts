/**
 * Whether the floor may still sell a lot that had passed: while its auction runs, by the journal. Called for every sale
 * that a platform reports; a lot that is open needs no second check.
 */
import { isOpen } from '../../../engine/lot/state.ts';
import { isLive } from '../../shared/statuses/auction-statuses.ts';
import { liveAuctionOf } from '../records/auction-changes.ts';
import type { LiveParts } from '../records/auction-lots.ts';
import type { FoundLot } from './lot-finder.ts';

/** Throws the journal's faults. */
export async function mayReopen(parts: LiveParts, { auctionId, lotId }: FoundLot): Promise<boolean> {
  const state = await parts.journal.load(auctionId, lotId);
  if (state !== null && isOpen(state)) return true;
  const { status } = await liveAuctionOf(parts, auctionId);
  return isLive(status);
}
