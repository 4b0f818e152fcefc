/**
 * A lot's journal as server-sent events: what a bid, an extension and a close look like to everybody, and after
 * anything else the lot's state. Ids are sequences; a second event of one sequence has `.1` behind it.
 */
import type { Readable } from 'node:stream';
import type { Reply } from '../../../adapters/http/endpoint.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import {
  closesItself,
  decodeEvents,
  formatOf,
  formatOfEntry,
  isSilent,
  lotView,
  memberIds,
  placedBy,
  shownHead,
} from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import {
  type BidPlaced,
  isListed,
  type LotClosed,
  type LotEvent,
  type LotRescheduled,
} from '../../../engine/lot/events.ts';
import type { BidReading } from '../../../engine/lot/format.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { totalText } from '../../../engine/lot/unit-totals.ts';
import { isPerUnit, totalOf } from '../../../engine/lot/units.ts';
import { formatCents } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import { isoFromUs } from '../../../engine/time.ts';

export interface StreamEvent {
  readonly id: string;
  readonly event: 'lot.snapshot' | 'bid.placed' | 'lot.extended' | 'lot.closed';
  /** Null on a snapshot: the lot's state is for the caller to fill in. */
  readonly data: unknown;
  /** Nothing comes after it. */
  readonly last: boolean;
  /** On a bid of somebody with an account: whose it is, and what it says to them. */
  readonly own?: { readonly userId: number; readonly data: object };
}

/** One event, ready to be sent. */
export interface StreamMessage {
  readonly id: string;
  readonly text: string;
  readonly last: boolean;
  /** What this person gets in place of the text. */
  readonly own?: { readonly userId: number; readonly text: () => string };
  /** The client continues from here, whatever was sent to it before. */
  readonly startsOver?: true;
}

/** Formats an event for all clients at once; `data` is its own, or the snapshot that the caller has filled in. */
export function messageOf({ id, event, last, own }: StreamEvent, data: unknown): StreamMessage {
  const message = { id, text: formatEvent(id, event, data), last };
  if (own === undefined) return message;
  return { ...message, own: { userId: own.userId, text: () => formatEvent(id, event, own.data) } };
}

const parsed = new WeakMap<SealedEntry, readonly LotEvent[]>();

/** The events of an entry, read once for all clients. */
export function eventsOf(entry: SealedEntry): readonly LotEvent[] {
  let events = parsed.get(entry);
  if (events === undefined) {
    events = decodeEvents(entry.privateText);
    parsed.set(entry, events);
  }
  return events;
}

/** What events are printed with: of the lot that they are of, at any later state. */
type OfLot = Pick<LotState, 'lotId' | 'endsAtUs' | 'decimals' | 'units'>;

/** What a journal event is sent as. `priceBefore` is the current bid before it, null where it is not known. */
export function streamEvents(
  event: LotEvent,
  entry: SealedEntry,
  lot: OfLot,
  priceBefore: number | null,
): StreamEvent[] {
  const { lotId } = lot;
  const id = String(event.sequence);
  const snapshot: StreamEvent = {
    id,
    event: 'lot.snapshot',
    data: null,
    last: event.type === 'lot_withdrawn',
  };
  if (event.type === 'lot_closed') {
    return [{ id, event: 'lot.closed', data: closedData(lot, event, lot.endsAtUs), last: true }];
  }
  if (event.type === 'lot_rescheduled' && isExtension(event.reason)) {
    const { endsAtUs, reason, group } = event;
    return [extended(id, lotId, endsAtUs, reason, group?.causedBy)];
  }
  if (event.type !== 'bid_placed') return [snapshot];
  if (!isListed(event.outcome)) return event.currentCents === priceBefore ? [] : [snapshot];
  return bidEvents(event, entry, lot);
}

function bidEvents(event: BidPlaced, entry: SealedEntry, lot: OfLot): StreamEvent[] {
  const id = String(event.sequence);
  const read = formatOfEntry(entry.privateText).readBid(event);
  const data = bidData(event, entry, read, lot);
  const events: StreamEvent[] = [
    { id, event: 'bid.placed', data, last: false, ...ownBid(event, read, data, lot) },
  ];
  if (event.extendedToUs !== null) {
    events.push(extended(`${id}.1`, lot.lotId, event.extendedToUs, 'bid'));
  }
  if (closesItself(event, entry)) {
    const { currentCents, bidder, endsAtUs } = event;
    const hammerCents = totalOf(lot.units, currentCents);
    const data = closedData(lot, { status: 'sold', hammerCents, winner: bidder }, endsAtUs);
    events.push({ id: `${id}.1`, event: 'lot.closed', data, last: true });
  }
  return events;
}

/** To the bidder a row names their ceiling, as the list of bids does. */
function ownBid(
  event: BidPlaced,
  read: BidReading,
  data: object,
  { decimals }: OfLot,
): Pick<StreamEvent, 'own'> {
  const { userId } = event.bidder;
  if (userId === null) return {};
  return {
    own: {
      userId,
      data: { ...data, is_mine: true, max_amount: formatCents(read.ownCeilingCents, decimals) },
    },
  };
}

type Extending = 'outage' | 'void' | 'group';

function isExtension(reason: LotRescheduled['reason']): reason is Extending {
  return reason === 'outage' || reason === 'void' || reason === 'group';
}

/** `causedBy`: the lot of the group that moved the end of all. */
function extended(
  id: string,
  lotId: number,
  endsAtUs: number,
  by: 'bid' | Extending,
  causedBy?: number,
): StreamEvent {
  const data = {
    lot_id: lotId,
    end_time: isoFromUs(endsAtUs),
    extended_by: by,
    ...(causedBy === undefined ? null : { caused_by: causedBy }),
  };
  return { id, event: 'lot.extended', data, last: false };
}

function bidData(event: BidPlaced, entry: SealedEntry, read: BidReading, lot: OfLot): object {
  const { units, decimals } = lot;
  const total = (cents: number) => totalText(units, cents, decimals);
  return {
    id: event.bidId,
    amount: formatCents(read.listedCents, decimals),
    total: total(read.listedCents),
    outcome: event.outcome,
    channel: event.channel,
    sequence: event.sequence,
    placed_at: isoFromUs(entry.recordedAtUs),
    status: read.status,
    bidder: { alias: event.bidder.alias, paddle_number: event.bidder.paddle },
    is_mine: false,
    receipt: { hash: entry.hash },
    ...read.fields,
    lot: {
      current_bid: formatCents(event.currentCents, decimals),
      minimum_next_bid: formatCents(event.minimumNextCents, decimals),
      bid_count: event.bidCount,
      reserve_met: event.reserveMet,
      end_time: isoFromUs(event.endsAtUs),
      extended: event.extendedToUs !== null,
      status: event.outcome === 'won' ? 'sold' : 'active',
      ...(isPerUnit(units)
        ? {
            current_total: total(event.currentCents),
            minimum_next_total: total(event.minimumNextCents),
          }
        : null),
      ...read.lotFields,
    },
  };
}

type Close = Pick<LotClosed, 'status' | 'hammerCents'> & {
  readonly winner: { readonly paddle: string | null } | null;
};

function closedData({ lotId, decimals }: OfLot, close: Close, endsAtUs: number): unknown {
  return {
    lot_id: lotId,
    status: close.status,
    hammer_price: close.hammerCents === null ? null : formatCents(close.hammerCents, decimals),
    paddle_number: close.winner?.paddle ?? null,
    end_time: isoFromUs(endsAtUs),
  };
}

/**
 * The same of a lot with sealed bids: nothing of what must not show, and the others under ids that do not count it.
 * `state` is the lot after the event.
 */
export function shownEvents(
  event: LotEvent,
  entry: SealedEntry,
  state: LotState,
  priceBefore: number | null,
): StreamEvent[] {
  if (memberIds(state).length > 1) return memberEvents(event, entry, state);
  if (formatOf(state).sealed === undefined) return streamEvents(event, entry, state, priceBefore);
  // What is opened is sent with the close that follows.
  if (isSilent(state, event) || placedBy(event, entry) !== null) return [];
  const { sequence } = shownHead(state);
  return streamEvents({ ...event, sequence }, entry, state, priceBefore);
}

/**
 * The same of a lot that is sold with others: a bid that names it with the lot's own figures, what happens to others as
 * how the lot is then. `state` faces it.
 */
function memberEvents(event: LotEvent, entry: SealedEntry, state: LotState): StreamEvent[] {
  const { lotId, currentCents, bidCount } = state;
  const id = String(event.sequence);
  const isOther = 'lotId' in event && event.lotId !== undefined && event.lotId !== lotId;
  if (event.type === 'lot_closed' && isOther) return [];
  const snapshot: StreamEvent = { id, event: 'lot.snapshot', data: null, last: false };
  if (event.type !== 'bid_placed') return isOther ? [snapshot] : streamEvents(event, entry, state, null);
  const { fields = {} } = formatOf(state).readBid(event);
  const { lot_ids: lotIds } = fields;
  if (!Array.isArray(lotIds) || !lotIds.includes(lotId)) return [snapshot];
  const sight = { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: entry.recordedAtUs };
  const { reserveMet, fields: shown = {} } = lotView(state, sight);
  const own: BidPlaced = { ...event, currentCents, bidCount, reserveMet: reserveMet ?? false };
  return bidEvents(own, entry, state).map((one) =>
    one.event === 'bid.placed' ? withLeading(one, shown['leading_set'] ?? null) : one,
  );
}

function withLeading(event: StreamEvent, leading: unknown): StreamEvent {
  const data = objectIn(event.data);
  return { ...event, data: { ...data, lot: { ...objectIn(data['lot']), leading_set: leading } } };
}

/** The close of a lot that is over, as it was sent when it happened; null for one that was withdrawn. */
export function closeOf(state: LotState): string | null {
  const { status, hammerCents, winner, endsAtUs, sequence } = state;
  if (status !== 'sold' && status !== 'passed' && status !== 'unsold') return null;
  const data = closedData(state, { status, hammerCents, winner }, endsAtUs);
  return formatEvent(String(sequence), 'lot.closed', data);
}

/** A client's position: the sequence, and which event of it arrived last. */
export interface StreamPosition {
  readonly sequence: number;
  readonly part: number;
}

/** Reads a `Last-Event-ID`; null when it is none of ours. */
export function readPosition(id: string): StreamPosition | null {
  const match = /^([0-9]{1,15})(?:\.([0-9]))?$/.exec(id);
  return match === null ? null : { sequence: Number(match[1]), part: Number(match[2] ?? 0) };
}

export function isAfter(id: string, position: StreamPosition): boolean {
  const own = readPosition(id);
  if (own === null) return false;
  return own.sequence > position.sequence || (own.sequence === position.sequence && own.part > position.part);
}

/** One event in the wire format. */
export function formatEvent(id: string | null, event: string, data: unknown): string {
  const head = id === null ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The answer that streams events to one client; proxies neither keep it nor hold it back. */
export function streamReply(source: Readable): Reply {
  return {
    status: 200,
    raw: source,
    contentType: 'text/event-stream; charset=utf-8',
    headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
  };
}
