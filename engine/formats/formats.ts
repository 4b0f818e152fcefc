/**
 * The formats, each by its name, and how one is found: by a lot's state, or by what is stored of it. What the first
 * format stores names no format, so that nearly all lots pay nothing for there being others.
 */
import type { AuctionRecord, BidderKey } from '../auction/record.ts';
import { type RefusalCode, type Refused, refused } from '../lot/answers.ts';
import type { SealedEntry } from '../lot/entry.ts';
import type { BidPlaced, LotEvent } from '../lot/events.ts';
import type { Format, OwnSealed, PlacedBid } from '../lot/format.ts';
import type { Choosing, FloorCall } from '../lot/group-format.ts';
import type { ShownFields } from '../lot/shown-fields.ts';
import type { LotView, Sight } from '../lot/sight.ts';
import { isOpen, type LotState, UNSCHEDULED } from '../lot/state.ts';
import { ENGLISH } from './english/english.ts';
import { FALLING } from './falling/falling.ts';
import { PARCELS } from './parcels/parcels.ts';
import { TENDER } from './tender/tender.ts';

const FORMATS: readonly Format[] = [ENGLISH, TENDER, FALLING, PARCELS];

export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

/** Formats whose lots take sealed bids. */
export const SEALED_FORMATS: readonly string[] = FORMATS.filter(({ sealed }) => sealed !== undefined).map(
  ({ name }) => name,
);

/** Those of which the clock moves the price. */
export const CLOCK_FORMATS: readonly string[] = FORMATS.filter(
  ({ movesByClock }) => movesByClock === true,
).map(({ name }) => name);

/** Nearly all lots are of it. */
const FIRST: Format = ENGLISH;

const BY_NAME = new Map(FORMATS.map((format) => [format.name, format]));

/** The format of this name. Throws where there is none. */
function formatNamed(name: string): Format {
  const format = BY_NAME.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}

/** The format that a lot is decided by. */
export function formatOf({ format }: Pick<LotState, 'format'>): Format {
  return format === FIRST.name ? FIRST : formatNamed(format);
}

/** Encodes a state as one line; `decodeSnapshot` gives it back unchanged. */
export function encodeSnapshot(state: LotState): string {
  return formatOf(state).codec.encodeSnapshot(state);
}

/** Decodes a state. Throws where it is of a format or layout that this version does not know. */
export function decodeSnapshot(text: string): LotState {
  const row: unknown[] = JSON.parse(text);
  return (typeof row[0] === 'string' ? formatNamed(row[0]) : FIRST).codec.decodeSnapshot(row);
}

/** Decodes the events of an entry, secrets included. Throws a SyntaxError for what is no JSON. */
export function decodeEvents(text: string): LotEvent[] {
  return formatOfEntry(text).codec.decodeEvents(text);
}

const NAMED_ENTRY = /^\["([a-z_]+)"/;

/** The format of an entry, by the text of its events. */
export function formatOfEntry(privateText: string): Format {
  const name = NAMED_ENTRY.exec(privateText)?.[1];
  return name === undefined ? FIRST : formatNamed(name);
}

/** Whether a bid ends its lot without an event that says so: the oldest journals, which know the first format alone. */
export function closesItself({ outcome, sequence }: BidPlaced, entry: SealedEntry): boolean {
  return outcome === 'won' && sequence === entry.sequence && formatOfEntry(entry.privateText) === FIRST;
}

/** The format of an auction's lots. */
export function formatOfAuction({ format }: Pick<AuctionRecord, 'format'>): Format {
  return format === undefined ? FIRST : formatNamed(format);
}

/** The lots that a state is of, by their numbers, the host of their journal first: one, but where several are sold. */
export function memberIds(state: LotState): readonly number[] {
  return formatOf(state).members?.idsOf(state) ?? [state.lotId];
}

/** What became of one of the lots that a state is of. Throws where it is not of it. */
export function faceOf(state: LotState, lotId: number): LotState {
  const { members } = formatOf(state);
  if (members !== undefined) return members.faceOf(state, lotId);
  if (state.lotId !== lotId) throw new Error(`lot ${lotId} is not of the journal of lot ${state.lotId}`);
  return state;
}

/** A sale of several lots, as answers show it, and what a bid on some of them would come up against. */
export function saleOf(state: LotState): Sale {
  const { members } = formatOf(state);
  if (members === undefined) throw new Error(`lot ${state.lotId} is sold by itself`);
  return {
    board: () => members.board(state),
    quote: (lotIds, record) => members.quote(state, lotIds, record),
    lastCall: () => members.lastCall(state),
  };
}

export interface Sale {
  board(): ShownFields;
  /** Null: one of the lots is not for sale any more. */
  quote(lotIds: readonly number[], record: Pick<AuctionRecord, 'increments'>): ShownFields | null;
  /** The newest call from the floor that stands; null: none does. */
  lastCall(): FloorCall | null;
}

/** What the hammer falls at: the price of a lot, or what the bids that lead on several come to. */
export function calledCents(state: LotState): number {
  return formatOf(state).members?.totalOf(state) ?? state.currentCents;
}

/** Whether lots of the format can close with others. */
export function closesTogether(name: string): boolean {
  return formatNamed(name).grouped !== undefined;
}

/** The rule of docs/rules.md that is the format's alone; undefined: those of the first format are many. */
export function ruleOf(name: string): number | undefined {
  return formatNamed(name).rule;
}

/** A lot of a format before its first event. */
export function unscheduled(name: string): LotState {
  return formatNamed(name).unscheduled;
}

/** What may be shown of a lot to one viewer. */
export function lotView(state: LotState, sight: Sight): LotView {
  return formatOf(state).view(state, sight);
}

/** The least that would be taken now, where anything would. */
export function minimumNextCents(
  state: LotState,
  record: Pick<AuctionRecord, 'increments'>,
  nowUs: number,
): number {
  return formatOf(state).minimumNextCents(state, record, nowUs);
}

/** The refusal of what is asked of a lot at its last entry, as one that has left the journal gives it. */
export function refusalOf(
  code: RefusalCode,
  state: LotState,
  record: Pick<AuctionRecord, 'increments'>,
): Refused {
  const nowUs = state.recordedAtUs;
  const { fields } = lotView(state, { viewer: null, increments: record.increments, nowUs });
  return refused(code, state, minimumNextCents(state, record, nowUs), fields);
}

/** Whether an open lot would be somebody's, or a part of it, were it over now. */
export function leads(state: LotState, key: BidderKey): boolean {
  const { members, leadersOf, exposureOf } = formatOf(state);
  return members === undefined
    ? exposureOf(state, key) > 0
    : leadersOf(state).some((leader) => leader.key === key);
}

/** A lot before its first event, of no format yet: that says which it is. */
export const NO_LOT: LotState = { format: '', ...UNSCHEDULED };

/** Folds an event into the state of a lot. */
export function evolve(state: LotState, event: LotEvent): LotState {
  return state.format === '' ? firstState(state, event) : formatOf(state).evolve(state, event);
}

/** The same of a state that faces a lot: it faces that lot still. */
export function evolveFace(state: LotState, event: LotEvent): LotState {
  const next = evolve(state, event);
  return memberIds(next).length > 1 ? faceOf(next, state.lotId) : next;
}

function firstState({ hash, recordedAtUs }: LotState, event: LotEvent): LotState {
  const name = event.type === 'lot_scheduled' ? event.format : undefined;
  const format = name === undefined ? FIRST : formatNamed(name);
  return format.evolve({ ...format.unscheduled, hash, recordedAtUs }, event);
}

/** The state once the events that led to it are in an entry. */
export function withEntry(state: LotState, entry: Pick<LotState, 'hash' | 'recordedAtUs'>): LotState {
  return formatOf(state).withEntry(state, entry);
}

/** Whether a lot is closed or withdrawn for good: a hammer that has just fallen may be taken back. */
export function isFinal(state: LotState): boolean {
  return !isOpen(state) && !isHeld(state);
}

/** Whether a lot shows a result that may still be taken back, and from which nothing follows until it is final. */
export function isHeld(state: LotState): boolean {
  return formatOf(state).isHeld?.(state) === true;
}

/** Whether bids of a lot are sealed now: nobody but their bidders may know of them. */
export function isSealed(state: LotState): boolean {
  const { sealed } = formatOf(state);
  return sealed !== undefined && !sealed.isOpened(state);
}

/** The accounts of those who have bid on a lot while nobody else may know of it. */
export function sealedBidders(state: LotState): readonly number[] {
  return formatOf(state).sealed?.biddersOf(state) ?? [];
}

/** Whether who has bid on a lot may bid once more from this event on. */
export function opensNextRound(state: LotState, event: LotEvent): boolean {
  return formatOf(state).sealed?.opensNextRound(event) === true;
}

/** The sequence and the moment of a lot as they may show: while bids are sealed, as if nobody had bid. */
export function shownHead(state: LotState): Pick<LotState, 'sequence' | 'recordedAtUs'> {
  return isSealed(state) ? (formatOf(state).sealed?.shownAt(state) ?? state) : state;
}

/** Whether nobody may see before the end that this has happened. */
export function isSilent(state: LotState, event: LotEvent): boolean {
  return formatOf(state).sealed?.isSilent(event) ?? false;
}

/** Whether an entry holds only what nobody may see before the lot is over. */
export function isSilentEntry(entry: SealedEntry): boolean {
  const { sealed, codec } = formatOfEntry(entry.privateText);
  return (
    sealed !== undefined && codec.decodeEvents(entry.privateText).every((event) => sealed.isSilent(event))
  );
}

/** The bids that an event adds to the list, oldest first: itself, or those that it opens; null: it is no such event. */
export function placedBy(event: LotEvent, entry: SealedEntry): readonly PlacedBid[] | null {
  if (event.type === 'bid_placed') return [{ event, recordedAtUs: entry.recordedAtUs, hash: entry.hash }];
  return formatOfEntry(entry.privateText).placedBy?.(event) ?? null;
}

/** What a bidder may open of their own sealed bid; null: nothing of the lot is sealed. */
export function ownSealed(state: LotState, viewer: BidderKey): OwnSealed | null {
  return formatOf(state).sealed?.ownOf(state, viewer) ?? null;
}

/** Whether a lot is offered together with others. */
export function groupOffered(state: LotState): boolean {
  return formatOf(state).offered?.isOffered(state) === true;
}

/** A lot as it is shown with the bidding of the one that carries that of its group. */
export function shownWith(state: LotState, carrier: LotState): LotState {
  return formatOf(state).offered?.shownWith(state, carrier) ?? state;
}

/** Who is choosing by the bidding on this lot; null: nobody. */
export function choosing(state: LotState): Choosing | null {
  return formatOf(state).offered?.choosing(state) ?? null;
}

/** The sequence since which a lot takes the bids that stand on it; 0: from its beginning. */
export function biddingSince(state: LotState): number {
  return formatOf(state).offered?.since(state) ?? 0;
}
