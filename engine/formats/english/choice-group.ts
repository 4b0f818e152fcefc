/**
 * Rule 25: lots that are offered together in the saleroom. The one with the lowest number that is still open carries
 * the bidding for all. What its hammer sells of the others is noted beside the lots in the same commit, every commit of
 * another checks that note, and takes over what it was sold for before anything is decided on it.
 */
import {
  type ChoiceGroup,
  type ChoiceNote,
  type ChoiceSale,
  choiceGroupOf,
  isOffered,
  isToBeHad,
  NO_CHOICE_NOTE,
  readChoiceNote,
} from '../../auction/choice-groups.ts';
import { type AuctionRecord, pausedAt, pausedSinceUs } from '../../auction/record.ts';
import { catchUp as catchUpAlone } from '../../lot/closing.ts';
import { caughtUp } from '../../lot/deciding.ts';
import type { LotRescheduled, NewEvent } from '../../lot/events.ts';
import type { GroupedLots, NextNote, OfferedLots } from '../../lot/group-format.ts';
import { isOpen } from '../../lot/state.ts';
import { totalOf } from '../../lot/units.ts';
import { chosenEvents, soldEvents } from './choice-sale.ts';
import { GROUPED as CLOSING, catchUp as catchUpTogether } from './close-group.ts';
import type { EnglishEvent } from './english-events.ts';
import type { EnglishState, PendingChoice } from './english-state.ts';
import { evolve } from './evolve.ts';

type Added = NewEvent<EnglishEvent>;

/** What a lot must first take over: from its group, from its auction, from the clock. */
export function catchUp(state: EnglishState, record: AuctionRecord, nowUs: number): Added[] {
  if (state.choice === null && record.choiceGroups === undefined)
    return catchUpTogether(state, record, nowUs);
  if (!isOpen(state)) return [];
  const group = offeredWith(state, record);
  const sale = record.choiceNote?.sales.find(({ lots }) => lots.some(({ lotId }) => lotId === state.lotId));
  const pending = state.choice?.pending ?? null;
  // The hammer has fallen: what it has sold stays sold.
  const isSold = sale !== undefined || pending !== null;
  if (record.cancelled && isSold) return sold(state, sale, pending, record);
  const events = untilMoved(state, pending, record, catchUpAlone(state, record, nowUs));
  const present = caughtUp<EnglishState, EnglishEvent>(state, events, evolve);
  if (sale !== undefined) return [...events, ...sold(present, sale, null, record)];
  const now = present.choice?.pending ?? null;
  const isOver = now !== null && pausedSinceUs(record) === null && nowUs >= now.untilUs;
  if (isOver) return [...events, ...sold(present, undefined, now, record)];
  return withGroup(state, group, events);
}

/** What a sale takes over from the hammer that fell before it. */
export function hammerOf(pending: PendingChoice) {
  const { openedAtUs: _opened, untilUs: _until, liftUntilUs: _lift, ...hammer } = pending;
  return hammer;
}

/** The end of a lot that was chosen, or that nobody has chosen in time. */
function sold(
  state: EnglishState,
  sale: ChoiceSale | undefined,
  pending: PendingChoice | null,
  record: AuctionRecord,
): Added[] {
  if (sale !== undefined) return soldEvents(state, sale, record);
  if (pending === null) return [];
  const { row, lots, ...hammer } = hammerOf(pending);
  const { lotId, lotNumber: number } = state;
  // What was chosen with the hammer and is gone by now is not sold.
  const left = lots?.filter((lot) => isStillOffered(state, record, lot.lotId));
  if (left?.length === 0) return [{ type: 'lot_reopened', reason: 'taken_back' }];
  const made =
    left === undefined
      ? ({ by: 'time', lots: [{ lotId, number, ...row }] } as const)
      : ({ by: 'floor', lots: left } as const);
  return chosenEvents(state, { ...hammer, ...made, causedBy: lotId, floor: null }, record);
}

/** Pauses and outages give the winner the time back that they took. */
function untilMoved(
  state: EnglishState,
  pending: PendingChoice | null,
  record: AuctionRecord,
  events: Added[],
): Added[] {
  if (pending === null) return events;
  let { untilUs } = pending;
  const lostIn = (fromUs: number, toUs: number) => {
    if (fromUs < untilUs) untilUs += Math.max(0, toUs - Math.max(fromUs, pending.openedAtUs));
  };
  for (const { fromUs, toUs } of record.pauses.slice(state.pausesApplied))
    if (toUs !== null) lostIn(fromUs, toUs);
  for (const { fromUs, toUs } of record.outages ?? [])
    if (toUs > state.recordedAtUs && !pausedAt(record, toUs)) lostIn(fromUs, toUs);
  if (untilUs === pending.untilUs) return events;
  const at = events.findLastIndex(({ type }) => type === 'lot_rescheduled');
  const moved = events[at];
  if (moved?.type === 'lot_rescheduled') return events.with(at, { ...moved, choiceUntilUs: untilUs });
  return [{ ...unmoved(state), reason: 'auction_changed', choiceUntilUs: untilUs }, ...events];
}

/** Says in the journal which group the lot belongs to from now on, where that is another one. */
function withGroup(state: EnglishState, group: ChoiceGroup | null, events: Added[]): Added[] {
  const choiceGroup = group?.name ?? null;
  if (choiceGroup === (state.choice?.name ?? null) || events[0]?.type === 'lot_withdrawn') return events;
  const at = events.findLastIndex(({ type }) => type === 'lot_rescheduled');
  const moved = events[at];
  if (moved?.type === 'lot_rescheduled') return events.with(at, { ...moved, choiceGroup });
  return [{ ...unmoved(state), reason: 'auction_changed', choiceGroup }, ...events];
}

function unmoved(state: EnglishState): Omit<LotRescheduled, 'sequence' | 'reason'> {
  const { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied } = state;
  return { type: 'lot_rescheduled', startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied };
}

/** Groups are fixed once a lot of them is active: until then the auction's record says who belongs to which. */
export function offeredWith(state: EnglishState, { choiceGroups }: AuctionRecord): ChoiceGroup | null {
  if (state.status === 'scheduled') return choiceGroupOf(choiceGroups, state.lotId);
  const { choice } = state;
  return (choice && choiceGroups?.find(({ name }) => name === choice.name)) ?? null;
}

/** Whether a lot of the group can still be had, as far as this lot of it knows. */
export function isStillOffered(state: EnglishState, record: AuctionRecord, lotId: number): boolean {
  if (lotId === state.lotId) return isOpen(state);
  return !hasLeft(state, record, lotId) && isToBeHad(record.choiceNote ?? NO_CHOICE_NOTE, lotId);
}

/** Whether another lot is over, or sold by the bidding on this one, as far as this one knows. */
export function hasLeft(state: EnglishState, { choiceNote }: AuctionRecord, lotId: number): boolean {
  const own = state.choice?.sales ?? [];
  const isSoldHere = own.some(({ lots }) => lots.some((lot) => lot.lotId === lotId));
  return isSoldHere || !isOffered(choiceNote ?? NO_CHOICE_NOTE, lotId);
}

/** Whether a lot is over for good: a hammer that has just fallen may be taken back (rule 24). */
function isFinal(state: EnglishState): boolean {
  return !isOpen(state) && state.held === null;
}

/** What lots have that close or are offered with others. */
export const GROUPED: GroupedLots<EnglishState, EnglishEvent> = {
  groupOf: (state, record) => {
    if (state.choice === null && record.choiceGroups === undefined) return CLOSING.groupOf(state, record);
    return isFinal(state) ? null : offeredWith(state, record);
  },
  judgedBy: (record, group, note) =>
    'numbers' in group
      ? { ...record, choiceNote: readChoiceNote(note) }
      : CLOSING.judgedBy(record, group, note),
  noteAfter: (next, events, record, nowUs) =>
    record.choiceNote === undefined
      ? CLOSING.noteAfter(next, events, record, nowUs)
      : noteAfter(next, events, record.choiceNote),
  noteOf: (states) =>
    states.some(({ choice }) => choice !== null) ? noteOf(states) : CLOSING.noteOf(states),
};

function noteAfter(next: EnglishState, events: readonly EnglishEvent[], note: ChoiceNote): NextNote | null {
  const wakes: number[] = [];
  let after = note;
  for (const event of events) {
    if (event.type !== 'choice_made') continue;
    const { causedBy, hammerCents, winner, channel, saleFacts, flags } = event;
    const lots = event.lots.filter(({ lotId }) => lotId !== next.lotId);
    const sale = { causedBy, lots, hammerCents, winner, channel, saleFacts, flags };
    wakes.push(...lots.map(({ lotId }) => lotId));
    const sales = lots.length === 0 ? after.sales : [...after.sales, sale];
    after = { ...after, sales, lastFacts: saleFacts, floor: laterOf(after.floor, next.floorSequences) };
  }
  if (isFinal(next)) after = without(after, next);
  after = withHeldLot(after, next);
  if (next.frozen && !after.hasBids) after = { ...after, hasBids: true };
  return after === note ? null : { text: JSON.stringify(after), wakes };
}

function withHeldLot(note: ChoiceNote, { lotId, held }: EnglishState): ChoiceNote {
  const before = note.held ?? [];
  if (before.includes(lotId) === (held !== null)) return note;
  return { ...note, held: held === null ? before.filter((id) => id !== lotId) : [...before, lotId] };
}

function without(note: ChoiceNote, { lotId, floorSequences }: EnglishState): ChoiceNote {
  const sales = note.sales.map((sale) => ({ ...sale, lots: sale.lots.filter((lot) => lot.lotId !== lotId) }));
  return {
    ...note,
    gone: [...note.gone, lotId],
    sales: sales.filter(({ lots }) => lots.length > 0),
    floor: laterOf(note.floor, floorSequences),
  };
}

/** The last sequence of each platform, of two lists. */
export function laterOf(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const later = { ...one };
  for (const [platform, sequence] of Object.entries(other))
    later[platform] = Math.max(later[platform] ?? 0, sequence);
  return later;
}

/** The note as the lots' own journals have it: what was sold of a lot that has not taken it over is still to come. */
function noteOf(states: readonly EnglishState[]): string {
  const open = new Set(states.flatMap((state) => (isFinal(state) ? [] : [state.lotId])));
  const made = states
    .toSorted((one, other) => one.recordedAtUs - other.recordedAtUs)
    .flatMap(({ choice }) => choice?.sales ?? []);
  const sales = made.map((sale) => ({ ...sale, lots: sale.lots.filter(({ lotId }) => open.has(lotId)) }));
  const note: ChoiceNote = {
    gone: states.flatMap(({ lotId }) => (open.has(lotId) ? [] : [lotId])),
    sales: sales.filter(({ lots }) => lots.length > 0),
    hasBids: states.some(({ frozen }) => frozen),
    floor: states.reduce((floor, state) => laterOf(floor, state.floorSequences), {}),
    lastFacts: made.at(-1)?.saleFacts ?? null,
    held: states.flatMap(({ lotId, held }) => (held === null ? [] : [lotId])),
  };
  return JSON.stringify(note);
}

/** How such lots are shown: each with the price that all of them have. */
export const OFFERED: OfferedLots<EnglishState> = {
  isOffered: (state) => state.choice !== null && isOpen(state),
  shownWith: (state, carrier) => {
    const { currentCents, bidCount, leader, startingBidCents, reserveCents, choice } = carrier;
    const shown = { ...state, currentCents, bidCount, leader, startingBidCents, reserveCents, choice };
    const pending = choice?.pending;
    // The hammer has said so; only until a moment from now it may be taken back.
    if (pending?.lots?.some(({ lotId }) => lotId === state.lotId) !== true) return shown;
    const hammerCents = totalOf(state.units, pending.hammerCents);
    return {
      ...shown,
      status: 'sold',
      currentCents: pending.hammerCents,
      hammerCents,
      winner: pending.winner,
    };
  },
  since: ({ choice }) => choice?.since ?? 0,
  choosing: (state) => {
    const pending = isOpen(state) ? state.choice?.pending : undefined;
    if (pending == null) return null;
    const { winner, hammerCents, untilUs, lots, liftUntilUs = 0 } = pending;
    const { userId, paddle } = winner;
    const numbers = lots?.map(({ number }) => number) ?? null;
    return { userId, paddle, hammerCents, untilUs, numbers, liftUntilUs };
  },
};
