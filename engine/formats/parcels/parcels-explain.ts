/** Why a bid on tracts leads or does not (rule 23), by what the journal had when it was placed and what it has now. */
import type { AuctionRecord } from '../../auction/record.ts';
import type { ExplainedBid, PastEntry } from '../../lot/format.ts';
import type { ParcelsEvent } from './parcels-events.ts';
import { evolve, NO_LOT } from './parcels-evolve.ts';

/** The sale's entries, oldest first, with the bid among them; null where it is not. */
export function explain(
  history: readonly PastEntry<ParcelsEvent>[],
  bidId: string,
  { type }: AuctionRecord,
): ExplainedBid | null {
  let before = NO_LOT;
  for (const { recordedAtUs: nowUs, events } of history) {
    for (const event of events) {
      if (event.type === 'bid_placed' && event.bidId === bidId) {
        const { sequence, bidder, amountCents: ceilingCents } = event;
        return {
          sequence,
          own: { key: bidder.key, userId: bidder.userId, ceilingCents },
          rival: null,
          steps: [{ rule: 7, nowUs, endsAtUs: before.endsAtUs, byFloor: type === 'simulcast' }],
        };
      }
      before = evolve(before, event);
    }
  }
  return null;
}
