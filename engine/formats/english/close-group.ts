/**
 * Rule 20: lots that close together. They share one timetable: whatever moves the end of one by a bid, an outage or a
 * void is noted beside the lots in the same commit, every commit of another checks that note, and takes it over before
 * anything is decided on it. What the auction brings about reaches each lot alike.
 */
import { type CloseGroup, closeGroupOf, type GroupNote, type LotGroup } from '../../auction/close-groups.ts';
import { type AuctionRecord, scheduledEndUs } from '../../auction/record.ts';
import { catchUp as catchUpAlone } from '../../lot/closing.ts';
import type { CommonEvent, LotRescheduled, NewEvent } from '../../lot/events.ts';
import type { GroupedLots, NextNote } from '../../lot/group-format.ts';
import { isClosed, isOpen } from '../../lot/state.ts';
import type { EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';
import { evolve } from './evolve.ts';

type Rescheduled = Omit<LotRescheduled, 'sequence'>;

/** What a lot must first take over: from its group, from its auction, from the clock. */
export function catchUp(state: EnglishState, record: AuctionRecord, nowUs: number): NewEvent<CommonEvent>[] {
  if (state.group === null && record.closeGroups === undefined) return catchUpAlone(state, record, nowUs);
  if (!isOpen(state)) return [];
  const group = groupOf(state, record);
  const { groupNote: note } = record;
  const adopted = note === undefined ? null : adoptedFrom(state, note);
  const present = adopted === null ? state : evolve(state, { ...adopted, sequence: state.sequence });
  const events = catchUpAlone(
    {
      ...present,
      lotNumber: group?.lastNumber ?? state.lotNumber,
      // What is in the group's times already is not applied again.
      recordedAtUs: Math.max(state.recordedAtUs, note?.atUs ?? 0),
    },
    // An outage that moved the group before its first close is in the note.
    note?.closed ? { ...record, outages: [] } : record,
    nowUs,
  );
  const joined = withGroup(present, group, events);
  return adopted === null || record.cancelled ? joined : [adopted, ...joined];
}

function adoptedFrom(state: EnglishState, note: GroupNote): Rescheduled | null {
  if (note.version <= (state.group?.version ?? 0)) return null;
  const { version, causedBy, extensionCount, extendedByOutage, endsAtUs } = note;
  return {
    type: 'lot_rescheduled',
    reason: 'group',
    startsAtUs: state.startsAtUs,
    endsAtUs,
    originalEndsAtUs: note.originalEndsAtUs,
    paused: false,
    pausesApplied: note.pausesApplied,
    group: { version, causedBy, extensionCount, byOutage: extendedByOutage },
  };
}

/** Says in the journal which group the lot belongs to from now on, where that is another one. */
function withGroup(
  { group: before, startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied }: EnglishState,
  group: CloseGroup | null,
  events: NewEvent<CommonEvent>[],
): NewEvent<CommonEvent>[] {
  const closeGroup = group?.name ?? null;
  if (closeGroup === (before?.name ?? null) || events[0]?.type === 'lot_withdrawn') return events;
  const at = events.findLastIndex(({ type }) => type === 'lot_rescheduled');
  const moved = events[at];
  if (moved?.type === 'lot_rescheduled') return events.with(at, { ...moved, closeGroup });
  const times = { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied };
  return [{ type: 'lot_rescheduled', reason: 'auction_changed', ...times, closeGroup }, ...events];
}

/** Groups are fixed once a lot of them is active: until then the auction's record says who belongs to which. */
function groupOf(state: EnglishState, { closeGroups }: AuctionRecord): CloseGroup | null {
  if (state.status === 'scheduled') return closeGroupOf(closeGroups, state.lotId);
  const { group } = state;
  return (group && closeGroups?.find(({ name }) => name === group.name)) ?? null;
}

/** When a lot starts and ends at first: at the latest end of its group. */
export function firstTimes(
  { lotId, lotNumber }: { readonly lotId: number; readonly lotNumber: number },
  record: AuctionRecord,
) {
  const lastNumber = closeGroupOf(record.closeGroups, lotId)?.lastNumber ?? lotNumber;
  return { startsAtUs: record.startsAtUs, endsAtUs: scheduledEndUs(record, lastNumber) };
}

export const GROUPED: GroupedLots<EnglishState, EnglishEvent> = {
  groupOf: (state, record) => {
    if (state.group === null && record.closeGroups === undefined) return null;
    return isOpen(state) ? groupOf(state, record) : null;
  },
  judgedBy,
  noteAfter,
  noteOf,
};

/** Once the first of a group has closed, the others are judged by the auction as it was then: no pause saves them. */
function judgedBy(record: AuctionRecord, group: LotGroup, text: string): AuctionRecord {
  if (text === '') return record;
  const lastNumber = closeGroupOf(record.closeGroups, group.lotIds[0] ?? 0)?.lastNumber ?? 1;
  const groupNote: GroupNote = JSON.parse(text);
  if (groupNote.closed === null) return { ...record, groupNote };
  const { originalEndsAtUs, pausesApplied } = groupNote.closed;
  const endsAtUs = originalEndsAtUs - (lastNumber - 1) * record.staggerSeconds * 1_000_000;
  return { ...record, groupNote, endsAtUs, pauses: record.pauses.slice(0, pausesApplied) };
}

function noteAfter(
  next: EnglishState,
  events: readonly EnglishEvent[],
  { groupNote: note }: AuctionRecord,
  nowUs: number,
): NextNote | null {
  const closes = events.some((event) => event.type === 'lot_closed' && event.reason === 'time');
  const text = noteText(next, note ?? null, closes, nowUs);
  return text === null ? null : { text };
}

/** Where one has closed at its end, the others do not stay open for the loss. */
function noteOf(states: readonly EnglishState[]): string | null {
  const closed = states.find((state) => isClosed(state) && state.recordedAtUs >= state.endsAtUs);
  return closed === undefined ? null : noteText(closed, null, true, closed.recordedAtUs);
}

function noteText(next: EnglishState, note: GroupNote | null, closes: boolean, nowUs: number): string | null {
  const version = next.group?.version ?? 0;
  const hasMoved = version > (note?.version ?? 0);
  if (!hasMoved && (!closes || note?.closed)) return null;
  const { lotId, endsAtUs, originalEndsAtUs, pausesApplied, extensionCount, extendedByOutage } = next;
  const times = { endsAtUs, originalEndsAtUs, pausesApplied, extensionCount, extendedByOutage };
  const known = { version, causedBy: lotId, atUs: hasMoved ? nowUs : 0, ...times };
  const closed = closes ? { originalEndsAtUs, pausesApplied } : (note?.closed ?? null);
  const after: GroupNote = { ...(hasMoved ? known : (note ?? known)), closed };
  return JSON.stringify(after);
}
