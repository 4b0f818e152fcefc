/** Which ceilings and reserves of a lot may be told: once it is over those that were beaten, one's own at any time. */
import type { OpenedSecret, Openings } from '../../lot/format.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';

/** What may be opened of a lot; with `ownerUserId` that user's own commitments, whatever became of them. */
export function openings(events: readonly EnglishEvent[], ownerUserId: number | null): Openings {
  const closed = events.some(isClose);
  const bids = events.filter((event) => event.type === 'bid_placed');
  if (ownerUserId !== null) {
    const own = bids.filter(({ bidder }) => bidder.userId === ownerUserId);
    return { closed, secrets: own.map(openedBid) };
  }
  if (!closed) return { closed, secrets: [] };
  const voided = new Set(events.flatMap((event) => (event.type === 'bid_voided' ? [event.bidId] : [])));
  const beaten = new Set(
    roundsOf(events).flatMap((round) => {
      const counted = round.filter(({ bidId }) => !voided.has(bidId));
      return round.filter((bid) => isBeaten(bid, counted));
    }),
  );
  const secrets = events.flatMap((event) => {
    if (event.type === 'bid_placed') return beaten.has(event) ? [openedBid(event)] : [];
    return openedReserve(event);
  });
  return { closed, secrets };
}

/** The bids, apart where the bidding has begun anew (rule 25): nobody is beaten by what was bid before. */
function roundsOf(events: readonly EnglishEvent[]): EnglishBidPlaced[][] {
  const rounds: EnglishBidPlaced[][] = [[]];
  for (const event of events) {
    if (event.type === 'choice_made') rounds.push([]);
    if (event.type === 'bid_placed') rounds.at(-1)?.push(event);
  }
  return rounds;
}

function isClose(event: EnglishEvent): boolean {
  return event.type === 'lot_closed' || (event.type === 'bid_placed' && event.outcome === 'won');
}

/** Somebody else's ceiling was higher, or as high and earlier. */
function isBeaten(bid: EnglishBidPlaced, all: readonly EnglishBidPlaced[]): boolean {
  return all.some(
    (other) =>
      other.bidder.key !== bid.bidder.key &&
      (other.ceilingCents > bid.ceilingCents ||
        (other.ceilingCents === bid.ceilingCents && other.sequence < bid.sequence)),
  );
}

function openedBid({ sequence, bidId, salt, ceilingCents }: EnglishBidPlaced): OpenedSecret {
  return { sequence, kind: 'ceiling', bidId, salt, cents: ceilingCents };
}

function openedReserve(event: EnglishEvent): OpenedSecret[] {
  if (event.type !== 'lot_scheduled' && event.type !== 'terms_changed') return [];
  if (event.reserveCents === null) return [];
  const { sequence, salt, reserveCents } = event;
  return [{ sequence, kind: 'reserve', bidId: null, salt, cents: reserveCents }];
}
