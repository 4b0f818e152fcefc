/**
 * A lot and the clock: following its auction's timetable, pauses and outages, opening, and being over. Everything is
 * judged by the journal's clock, which the caller hands in.
 */
import {
  type AuctionRecord,
  beforePausesFrom,
  type Outage,
  pausedAt,
  pausedSinceUs,
  scheduledEndUs,
} from '../auction/record.ts';
import { itemAt } from '../first-of.ts';
import { LAST_US } from '../time.ts';
import type { CommonEvent, LotRescheduled, NewEvent } from './events.ts';
import { isOpen, type LotState } from './state.ts';

export type Rescheduled = Omit<LotRescheduled, 'sequence'>;

/** How a format's lots follow what moves their start and end; null: nothing moves. */
export interface Timetable<S extends LotState> {
  rescheduled(state: S, record: AuctionRecord): Rescheduled | null;
  /** `record` is that of the moment when the outage was over. */
  outlasted(state: S, record: AuctionRecord, outage: Outage): Rescheduled | null;
}

/** Of lots that start with their auction, and end with it but for their stagger. */
const BY_AUCTIONS_END: Timetable<LotState> = { rescheduled, outlasted };

/**
 * What a lot must first take over from its auction (a moved start or end, a pause, a cancellation, conditions) or from
 * the clock.
 */
export function catchUp(state: LotState, record: AuctionRecord, nowUs: number): NewEvent<CommonEvent>[] {
  return catchUpBy(BY_AUCTIONS_END, state, record, nowUs);
}

/** The same by a format's own timetable. */
export function catchUpBy<S extends LotState>(
  timetable: Timetable<S>,
  state: S,
  record: AuctionRecord,
  nowUs: number,
): NewEvent<CommonEvent>[] {
  if (!isOpen(state)) return [];
  if (record.cancelled) return [{ type: 'lot_withdrawn', reason: 'auction_cancelled' }];
  const events: NewEvent<CommonEvent>[] = [];
  const present =
    record.outages === undefined ? state : outlastAll(timetable, state, record, record.outages, events);
  const moved = timetable.rescheduled(present, record);
  if (moved !== null) events.push(moved);
  const { conditions = null } = record;
  if ((conditions?.version ?? 0) !== state.conditionsVersion)
    events.push({ type: 'lot_conditions_set', conditions });
  const startsAtUs = moved?.startsAtUs ?? present.startsAtUs;
  const paused = moved?.paused ?? present.paused;
  if (state.status === 'scheduled' && nowUs >= startsAtUs && !paused) events.push({ type: 'lot_opened' });
  return events;
}

/** What an event makes of a lot's timetable. */
export function timetableOf(state: LotState, event: Rescheduled) {
  const { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied } = event;
  const extendedByOutage = event.group?.byOutage ?? (event.reason === 'outage' || state.extendedByOutage);
  return { startsAtUs, endsAtUs, originalEndsAtUs, extendedByOutage, paused, pausesApplied };
}

/** The lot after the outages since its last entry, each judged on what was true when it was over. */
function outlastAll<S extends LotState>(
  timetable: Timetable<S>,
  state: S,
  record: AuctionRecord,
  outages: readonly Outage[],
  events: NewEvent<CommonEvent>[],
): S {
  let present = state;
  for (const outage of outages) {
    if (outage.toUs <= state.recordedAtUs) continue;
    const then = beforePausesFrom(record, outage.toUs);
    for (const move of [timetable.rescheduled, timetable.outlasted]) {
      const moved = move(present, then, outage);
      if (moved === null) continue;
      events.push(moved);
      present = { ...present, ...timetableOf(present, moved) };
    }
  }
  return present;
}

/**
 * Rule 16: a lot that was in its soft-close window, or came to its end, while nobody could bid stays open for that
 * window once the journal is back. Null where the outage cost nobody a chance.
 */
function outlasted(state: LotState, record: AuctionRecord, outage: Outage): Rescheduled | null {
  const { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied } = state;
  const windowUs = record.softClose.windowSeconds * 1_000_000;
  if (record.type !== 'timed' || windowUs === 0 || pausedAt(record, outage.toUs)) return null;
  const isHit = startsAtUs < outage.toUs && endsAtUs > outage.fromUs && endsAtUs - windowUs < outage.toUs;
  if (!isHit) return null;
  return {
    type: 'lot_rescheduled',
    reason: 'outage',
    startsAtUs,
    endsAtUs: Math.min(outage.toUs + windowUs, LAST_US),
    originalEndsAtUs,
    paused,
    pausesApplied,
    outage,
  };
}

/**
 * Rule 17: a void that lowers the price of a lot in its last window opens it for that window again, so that those whom
 * the voided bid kept out can still bid. Null where there is no such window.
 */
export function reopenedAfterVoid(state: LotState, record: AuctionRecord, nowUs: number): Rescheduled | null {
  const { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied, status } = state;
  const windowUs = record.softClose.windowSeconds * 1_000_000;
  if (record.type !== 'timed' || status !== 'active' || pausedSinceUs(record) !== null) return null;
  if (endsAtUs - nowUs >= windowUs) return null;
  return {
    type: 'lot_rescheduled',
    reason: 'void',
    startsAtUs,
    endsAtUs: Math.min(nowUs + windowUs, LAST_US),
    originalEndsAtUs,
    paused,
    pausesApplied,
  };
}

function rescheduled(state: LotState, record: AuctionRecord): Rescheduled | null {
  const startsAtUs = state.status === 'scheduled' ? record.startsAtUs : state.startsAtUs;
  const originalEndsAtUs = scheduledEndUs(record, state.lotNumber);
  let endsAtUs = state.endsAtUs;
  // A requested change of the end moves the lot. A pause that is over has moved the lots that it paused already.
  const requestedShiftUs = originalEndsAtUs - state.originalEndsAtUs - movedByPausesUs(state, record);
  if (requestedShiftUs !== 0) {
    const shiftedUs = endsAtUs + requestedShiftUs;
    endsAtUs = state.extensionCount > 0 ? Math.max(endsAtUs, shiftedUs) : shiftedUs;
  }
  let { pausesApplied } = state;
  let paused = false;
  for (let at = pausesApplied; at < record.pauses.length; at += 1) {
    const pause = itemAt(record.pauses, at);
    const isAffected = record.type === 'simulcast' || endsAtUs > pause.fromUs;
    if (pause.toUs === null) {
      paused = isAffected;
      continue;
    }
    pausesApplied += 1;
    if (isAffected) endsAtUs += pause.toUs - pause.fromUs;
  }
  endsAtUs = Math.min(endsAtUs, LAST_US);
  const same =
    startsAtUs === state.startsAtUs &&
    endsAtUs === state.endsAtUs &&
    originalEndsAtUs === state.originalEndsAtUs &&
    paused === state.paused &&
    pausesApplied === state.pausesApplied;
  if (same) return null;
  const reason = paused !== state.paused ? (paused ? 'paused' : 'resumed') : 'auction_changed';
  return { type: 'lot_rescheduled', reason, startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied };
}

/** By how much pauses that the lot has not taken over yet have moved the auction's end. */
function movedByPausesUs({ pausesApplied }: LotState, { pauses }: AuctionRecord): number {
  let movedUs = 0;
  for (const { fromUs, toUs, movedEnd } of pauses.slice(pausesApplied)) {
    if (toUs !== null && movedEnd) movedUs += toUs - fromUs;
  }
  return movedUs;
}

/**
 * Rule 7: from the end on, bids are too late, but for nothing ends in a pause. A simulcast lot is ended by the floor
 * alone.
 */
export function isOver(state: LotState, record: AuctionRecord, nowUs: number): boolean {
  return record.type === 'timed' && pausedSinceUs(record) === null && nowUs >= state.endsAtUs;
}

/** The next moment at which the clock changes what may be done with the lot, or null when only people can. */
export function nextDueUs(state: LotState, record: AuctionRecord): number | null {
  if (!isOpen(state) || pausedSinceUs(record) !== null) return null;
  if (state.status === 'scheduled') return state.startsAtUs;
  return record.type === 'timed' ? state.endsAtUs : null;
}

/**
 * The moment from which the same commands would be decided otherwise, judged on the lot once it has taken over what its
 * auction has changed.
 */
export function boundaryUs(state: LotState, record: AuctionRecord, nowUs: number): number | null {
  if (!isOpen(state) || pausedSinceUs(record) !== null) return null;
  if (nowUs < state.startsAtUs) return state.startsAtUs;
  return record.type === 'timed' && !isOver(state, record, nowUs) ? state.endsAtUs : null;
}
