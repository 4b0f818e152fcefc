/** Bids as journals have them, whatever their format: what an answer has to agree with, and what rows come of them. */
import type { EnglishBidPlaced } from '../../../engine/formats/english/english-events.ts';
import type { FallingBidPlaced } from '../../../engine/formats/falling/falling-events.ts';
import type { ParcelsEvent } from '../../../engine/formats/parcels/parcels-events.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';

export interface MadeBid {
  readonly bidId: string;
  readonly sequence: number;
  readonly key: string;
  readonly outcome: string;
  /** Null: nobody but its bidder knows yet. */
  readonly listedCents: number | null;
  readonly ceilingCents: number;
}

/** The bid that an event is; null: it is none. */
export function madeBy(event: LotEvent): MadeBid | null {
  if (event.type === 'bid_sealed') {
    const { bidId, sequence, bidder } = event;
    return { bidId, sequence, key: bidder.key, outcome: 'sealed', listedCents: null, ceilingCents: 0 };
  }
  if (event.type !== 'bid_placed') return null;
  // Cast: those of the first format have their own amounts, all others one.
  const bid = event as EnglishBidPlaced | FallingBidPlaced;
  const { bidId, sequence, bidder, outcome } = bid;
  const amounts =
    'listedCents' in bid
      ? { listedCents: bid.listedCents, ceilingCents: bid.ceilingCents }
      : { listedCents: bid.amountCents, ceilingCents: bid.amountCents };
  return { bidId, sequence, key: bidder.key, outcome, ...amounts };
}

/** The bids that an event adds to the list, which of sealed ones that are opened are those that rank. */
export function listedBy(event: LotEvent): MadeBid[] {
  if (event.type === 'bids_opened')
    return event.bids.flatMap(({ bidId, sequence, key, cents, rank }) =>
      rank === null
        ? []
        : [
            {
              ...{ bidId, sequence, key, outcome: rank === 1 ? 'leading' : 'outbid' },
              ...{ listedCents: cents, ceilingCents: cents },
            },
          ],
    );
  const made = madeBy(event);
  return made === null || made.listedCents === null ? [] : [made];
}

/**
 * Of whom an event tells on which lots: a bid on the lot that it is on; one on tracts on those that it names, and on
 * those on which somebody else leads by it. To be called with the events of all journals in their order.
 */
export function factsOf(): (lotId: number, event: LotEvent) => (readonly [number, string])[] {
  const leaders = new Map<number, string>();
  const keys = new Map<string, string>();
  const of = new Map<number, ReadonlySet<number>>();
  return (lotId, found) => {
    // Cast: only the events of tracts have what leads.
    const event = found as ParcelsEvent;
    const made = madeBy(found);
    if (made !== null) keys.set(made.bidId, made.key);
    if (!('leading' in event) || event.leading === undefined)
      return made === null || made.outcome === 'max_raised' || made.outcome === 'sealed'
        ? []
        : [[lotId, made.bidId]];
    const now = new Map(
      event.leading.flatMap(({ bid_id, lot_ids }) => lot_ids.map((id) => [id, keys.get(bid_id)!])),
    );
    const all = new Set([...now.keys(), ...(of.get(lotId) ?? [])]);
    const moved = [...all].filter((id) => now.get(id) !== leaders.get(id));
    for (const id of moved) {
      const leader = now.get(id);
      if (leader === undefined) leaders.delete(id);
      else leaders.set(id, leader);
    }
    of.set(lotId, all);
    if (event.type !== 'bid_placed') return [];
    return [...new Set([...event.lotIds, ...moved])].map((id) => [id, event.bidId]);
  };
}
