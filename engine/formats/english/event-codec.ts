/**
 * The events of an entry as the journal keeps them for the engine, secrets included: a JSON array of one line. Nearly
 * every event is a bid, so a bid is a row without the names of its fields; every other event, and bids of older
 * journals, are objects. Some of their fields have other names here than in the code: what is stored never changes.
 */

import { quoted } from '../../canonical.ts';
import type { ChangedRow } from '../../lot/events.ts';
import type { EnglishBidPlaced, EnglishBidVoided, EnglishEvent } from './english-events.ts';
import type { Leader } from './leader.ts';

/** Serializes events; `readEvents` reads them back unchanged. */
export function encodeEvents(events: readonly EnglishEvent[]): string {
  return `[${events.map(encodeEvent).join(',')}]`;
}

/** Decodes the text of an entry. Throws a SyntaxError for what is no JSON. */
export function decodeEvents(text: string): EnglishEvent[] {
  const stored: (StoredEvent | BidRow)[] = JSON.parse(text);
  return stored.map((one) => (isRow(one) ? decodeBid(one) : decodeObject(one)));
}

interface StoredRow {
  readonly bidId: string;
  readonly outcome: EnglishBidPlaced['outcome'];
  readonly amountCents: number;
}

type StoredVoid = Omit<EnglishBidVoided, 'changedRows'> & { readonly changedRows: readonly StoredRow[] };

/** A bid as an object, of journals that are older than its row. */
type StoredBid = Omit<EnglishBidPlaced, 'ceilingCents' | 'listedCents'> & {
  readonly bidCeilingCents: number;
  readonly amountCents: number;
};

type StoredEvent = Exclude<EnglishEvent, EnglishBidPlaced | EnglishBidVoided> | StoredBid | StoredVoid;

function decodeObject(stored: StoredEvent): EnglishEvent {
  if (stored.type === 'bid_placed') {
    const { bidCeilingCents, amountCents, ...rest } = stored;
    return { ...rest, ceilingCents: bidCeilingCents, listedCents: amountCents };
  }
  if (stored.type !== 'bid_voided') return stored;
  const changedRows = stored.changedRows.map(({ bidId, outcome, amountCents }): ChangedRow => {
    return { bidId, outcome, listedCents: amountCents };
  });
  return { ...stored, changedRows };
}

function encodeVoid(event: EnglishBidVoided): string {
  const changedRows = event.changedRows.map(({ bidId, outcome, listedCents }): StoredRow => {
    return { bidId, outcome, amountCents: listedCents };
  });
  return JSON.stringify({ ...event, changedRows } satisfies StoredVoid);
}

type LeaderRow = readonly [
  key: string,
  userId: number | null,
  alias: string,
  paddle: string,
  ceilingCents: number,
  bidId: string,
  listedCents?: number,
];

type BidRow = readonly [
  sequence: number,
  bidId: string,
  salt: string,
  key: string,
  userId: number | null,
  alias: string,
  paddle: string,
  channel: EnglishBidPlaced['channel'],
  straightCents: number | null,
  ceilingCents: number,
  outcome: EnglishBidPlaced['outcome'],
  listedCents: number,
  currentCents: number,
  /** A number: the bidder leads with this bid, up to so many cents. */
  leader: number | LeaderRow,
  bidCount: number,
  minimumNextCents: number,
  reserveMet: boolean,
  endsAtUs: number,
  extendedToUs: number | null,
  floor: EnglishBidPlaced['floor'],
  hammerCents: number | null,
];

function isRow(stored: StoredEvent | BidRow): stored is BidRow {
  return Array.isArray(stored);
}

/** By hand, as nearly every event is a bid. */
function encodeEvent(event: EnglishEvent): string {
  if (event.type === 'bid_voided') return encodeVoid(event);
  if (event.type !== 'bid_placed') return JSON.stringify(event);
  const { bidder, floor } = event;
  return (
    `[${event.sequence},${quoted(event.bidId)},${quoted(event.salt)},${quoted(bidder.key)},${bidder.userId},` +
    `${quoted(bidder.alias)},${quoted(bidder.paddle)},${quoted(event.channel)},` +
    `${event.straightCents},${event.ceilingCents},"${event.outcome}",${event.listedCents},` +
    `${event.currentCents},${encodeLeader(event)},${event.bidCount},${event.minimumNextCents},` +
    `${event.reserveMet},${event.endsAtUs},${event.extendedToUs},` +
    `${floor === null ? 'null' : JSON.stringify(floor)},${event.hammerCents}]`
  );
}

function encodeLeader({ bidId, bidder, leader }: EnglishBidPlaced): string {
  if (leader.bidId === bidId && leader.key === bidder.key) return String(leader.ceilingCents);
  const { key, userId, alias, paddle, ceilingCents, listedCents } = leader;
  const row: LeaderRow = [key, userId, alias, paddle, ceilingCents, leader.bidId];
  return JSON.stringify(listedCents === undefined ? row : [...row, listedCents]);
}

function decodeBid(row: BidRow): EnglishBidPlaced {
  const [sequence, bidId, salt, key, userId, alias, paddle, channel, straightCents, ceilingCents, ...rest] =
    row;
  const [outcome, listedCents, currentCents, leader, bidCount, minimumNextCents, reserveMet, ...last] = rest;
  const [endsAtUs, extendedToUs, floor, hammerCents] = last;
  const bidder = { key, userId, alias, paddle };
  return {
    type: 'bid_placed',
    sequence,
    bidId,
    salt,
    bidder,
    channel,
    straightCents,
    ceilingCents,
    outcome,
    listedCents,
    currentCents,
    leader:
      typeof leader === 'number'
        ? { ...bidder, ceilingCents: leader, bidId, listedCents }
        : decodeLeader(leader),
    bidCount,
    minimumNextCents,
    reserveMet,
    endsAtUs,
    extendedToUs,
    floor,
    hammerCents,
  };
}

function decodeLeader([key, userId, alias, paddle, ceilingCents, bidId, listedCents]: LeaderRow): Leader {
  const leader = { key, userId, alias, paddle, ceilingCents, bidId };
  return listedCents === undefined ? leader : { ...leader, listedCents };
}
