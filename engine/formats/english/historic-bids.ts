/** A lot's history as far as its standing depends on it: the bids, the terms that they were made on, and the voids. */
import type { BidderKey } from '../../auction/record.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';

export interface HistoricBid {
  readonly kind: 'bid';
  readonly bidId: string;
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  readonly channel: EnglishBidPlaced['channel'];
  readonly straightCents: number | null;
  readonly ceilingCents: number;
}

/** The terms as they were from here on: the first item of a history, and each change of the reserve since. */
export interface HistoricTerms {
  readonly kind: 'terms';
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
}

export interface HistoricVoid {
  readonly kind: 'void';
  readonly bidId: string;
}

/** A call that the clerk took back: who of those online led after it (null: nobody), at the price that stayed. */
export interface HistoricUndo {
  readonly kind: 'undo';
  readonly bidId: string;
  readonly key: BidderKey | null;
  readonly keptCents: number;
}

export type HistoricItem = HistoricBid | HistoricTerms | HistoricVoid | HistoricUndo;

/** The bids that a history itself takes out: voided by staff, or taken back by the clerk. */
export function goneBids(items: readonly HistoricItem[]): ReadonlySet<string> {
  return new Set(items.flatMap((item) => (item.kind === 'void' || item.kind === 'undo' ? [item.bidId] : [])));
}

/** The items of a history of this format, in order, since the bidding has begun. */
export function historicItems(events: readonly EnglishEvent[]): HistoricItem[] {
  let items: HistoricItem[] = [];
  const online = new Set<BidderKey>();
  for (const event of events) {
    // Rule 25: what is not sold is offered anew, on the terms that it has now.
    if (event.type === 'choice_made') items = items.filter(({ kind }) => kind === 'terms').slice(-1);
    if (event.type === 'bid_placed' && event.channel === 'online') online.add(event.bidder.key);
    const item = historicItem(event, online);
    if (item !== null) items.push(item);
  }
  return items;
}

function historicItem(event: EnglishEvent, online: ReadonlySet<BidderKey>): HistoricItem | null {
  switch (event.type) {
    case 'lot_scheduled':
    case 'terms_changed': {
      const { startingBidCents, reserveCents } = event;
      return { kind: 'terms', startingBidCents, reserveCents };
    }
    case 'bid_placed': {
      const { bidId, channel, straightCents, ceilingCents } = event;
      return { kind: 'bid', bidId, ...event.bidder, channel, straightCents, ceilingCents };
    }
    case 'bid_voided': {
      const { bidId, leader, currentCents: keptCents } = event;
      if (event.undone === undefined) return { kind: 'void', bidId };
      return {
        kind: 'undo',
        bidId,
        key: leader !== null && online.has(leader.key) ? leader.key : null,
        keptCents,
      };
    }
    default:
      return null;
  }
}

/** The highest amount that somebody has bid or left as a ceiling, voided bids left out; null: none. */
export function highestBid(events: readonly EnglishEvent[], key: BidderKey): number | null {
  const items = historicItems(events);
  const voided = goneBids(items);
  let highest: number | null = null;
  for (const item of items) {
    if (item.kind !== 'bid' || item.key !== key || voided.has(item.bidId)) continue;
    highest = Math.max(highest ?? 0, item.straightCents ?? 0, item.ceilingCents);
  }
  return highest;
}
