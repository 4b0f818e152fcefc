/**
 * How a sale of tracts is stored: the format's name, and then what there is, under the names of the code. Of the bids,
 * which may be thousands and are stored with every commit, a snapshot has rows without names.
 */
import { itemAt } from '../../first-of.ts';
import type { ParcelsEvent } from './parcels-events.ts';
import type { ParcelBid, ParcelsState } from './parcels-state.ts';

const NAME = 'parcels';
const LAYOUT = 1;

export function encodeEvents(events: readonly ParcelsEvent[]): string {
  return JSON.stringify([NAME, ...events]);
}

/** Throws a SyntaxError for what is no JSON. */
export function decodeEvents(text: string): ParcelsEvent[] {
  const [, ...events] = JSON.parse(text);
  return events;
}

type Who = Pick<ParcelBid, 'key' | 'userId' | 'alias' | 'paddle'>;
type WhoRow = readonly [Who['key'], Who['userId'], Who['alias'], Who['paddle']];
type BidRow = readonly [
  ParcelBid['bidId'],
  ParcelBid['sequence'],
  ParcelBid['set'],
  ParcelBid['cents'],
  ParcelBid['totalCents'],
  ParcelBid['channel'],
  who: number,
];

export function encodeSnapshot({ bids, ...state }: ParcelsState): string {
  const positions = new Map<string, number>();
  const people: WhoRow[] = [];
  const rows = bids.map((bid): BidRow => {
    const { bidId, sequence, set, cents, totalCents, channel, key, userId, alias, paddle } = bid;
    const name = JSON.stringify([key, alias, paddle]);
    const at = positions.get(name) ?? people.length;
    if (at === people.length) people.push([key, userId, alias, paddle]);
    positions.set(name, at);
    return [bidId, sequence, set, cents, totalCents, channel, at];
  });
  return JSON.stringify([NAME, LAYOUT, state, people, rows]);
}

/** Throws when the row is of a layout that this version does not know. */
export function decodeSnapshot(row: readonly unknown[]): ParcelsState {
  const [, layout, state, people, rows] = row;
  if (layout !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(layout)}`);
  // Cast: this layout is what `encodeSnapshot` wrote.
  const bids = (rows as readonly BidRow[]).map((bid) => bidIn(bid, people as readonly WhoRow[]));
  // Cast: this layout is what `encodeSnapshot` wrote; the oldest know nothing that is held.
  return { held: null, ...(state as Omit<ParcelsState, 'bids' | 'held'>), bids };
}

function bidIn([bidId, sequence, set, cents, totalCents, channel, who]: BidRow, people: readonly WhoRow[]) {
  const [key, userId, alias, paddle] = itemAt(people, who);
  return { bidId, sequence, set, cents, totalCents, key, userId, alias, paddle, channel };
}
