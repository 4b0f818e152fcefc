/**
 * The events of an entry as the journal keeps them for the engine, secrets included: a JSON array of one line. Nearly every event is a
 * bid, so a bid is a row without the names of its fields; every other event, and bids of older journals, are objects.
 */
import type { BidPlaced, LotEvent } from './events.ts';
import type { Leader } from './state.ts';

/** Prints events; `readEvents` reads them back unchanged. */
export function printEvents(events: readonly LotEvent[]): string {
  return `[${events.map(printEvent).join(',')}]`;
}

/** Reads printed events. Throws a SyntaxError for what is no JSON. */
export function readEvents(text: string): LotEvent[] {
  const printed = JSON.parse(text) as (LotEvent | BidRow)[];
  return printed.map((one) => (isRow(one) ? bidOf(one) : one));
}

type LeaderRow = readonly [
  key: string,
  userId: number | null,
  alias: string,
  paddle: string,
  ceilingCents: number,
  bidId: string,
];

type BidRow = readonly [
  sequence: number,
  bidId: string,
  salt: string,
  key: string,
  userId: number | null,
  alias: string,
  paddle: string,
  channel: BidPlaced['channel'],
  straightCents: number | null,
  bidCeilingCents: number,
  outcome: BidPlaced['outcome'],
  amountCents: number,
  currentCents: number,
  /** A number: the bidder leads with this bid, up to so many cents. */
  leader: number | LeaderRow,
  bidCount: number,
  minimumNextCents: number,
  reserveMet: boolean,
  endsAtUs: number,
  extendedToUs: number | null,
  floor: BidPlaced['floor'],
  hammerCents: number | null,
];

function isRow(printed: LotEvent | BidRow): printed is BidRow {
  return Array.isArray(printed);
}

/** By hand: what others have named is all that JSON may have to escape. */
function printEvent(event: LotEvent): string {
  if (event.type !== 'bid_placed') return JSON.stringify(event);
  const { bidder, floor } = event;
  return (
    `[${event.sequence},"${event.bidId}","${event.salt}",${JSON.stringify(bidder.key)},${bidder.userId},` +
    `${JSON.stringify(bidder.alias)},${JSON.stringify(bidder.paddle)},"${event.channel}",` +
    `${event.straightCents},${event.bidCeilingCents},"${event.outcome}",${event.amountCents},` +
    `${event.currentCents},${printLeader(event)},${event.bidCount},${event.minimumNextCents},` +
    `${event.reserveMet},${event.endsAtUs},${event.extendedToUs},` +
    `${floor === null ? 'null' : JSON.stringify(floor)},${event.hammerCents}]`
  );
}

function printLeader({ bidId, bidder, leader }: BidPlaced): string {
  if (leader.bidId === bidId && leader.key === bidder.key) return String(leader.ceilingCents);
  const row: LeaderRow = [
    leader.key,
    leader.userId,
    leader.alias,
    leader.paddle,
    leader.ceilingCents,
    leader.bidId,
  ];
  return JSON.stringify(row);
}

function bidOf(row: BidRow): BidPlaced {
  const [
    sequence,
    bidId,
    salt,
    key,
    userId,
    alias,
    paddle,
    channel,
    straightCents,
    bidCeilingCents,
    ...rest
  ] = row;
  const [outcome, amountCents, currentCents, leader, bidCount, minimumNextCents, reserveMet, ...last] = rest;
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
    bidCeilingCents,
    outcome,
    amountCents,
    currentCents,
    leader: typeof leader === 'number' ? { ...bidder, ceilingCents: leader, bidId } : leaderOf(leader),
    bidCount,
    minimumNextCents,
    reserveMet,
    endsAtUs,
    extendedToUs,
    floor,
    hammerCents,
  };
}

function leaderOf([key, userId, alias, paddle, ceilingCents, bidId]: LeaderRow): Leader {
  return { key, userId, alias, paddle, ceilingCents, bidId };
}
