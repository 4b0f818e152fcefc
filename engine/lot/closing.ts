/**
 * A lot and the clock: following its auction's timetable and pauses, opening, closing, and the soft close. Everything
 * is judged by the journal's clock, which the caller hands in.
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
import type { BidPlaced, LotClosed, LotRescheduled, NewEvent } from './events.ts';
import { evolve } from './evolve.ts';
import type { Explain } from './reasons.ts';
import { isOpen, type LotState, reserveMet } from './state.ts';

type Unsequenced<T> = Omit<T, 'sequence'>;
type Rescheduled = Unsequenced<LotRescheduled>;

/**
 * What a lot must first take over from its auction (a moved start or end, a pause, a cancellation) or from the clock.
 */
export function catchUp(state: LotState, record: AuctionRecord, nowUs: number): NewEvent[] {
  if (!isOpen(state)) return [];
  if (record.cancelled) return [{ type: 'lot_withdrawn', reason: 'auction_cancelled' }];
  const events: NewEvent[] = [];
  const present = record.outages === undefined ? state : outlastAll(state, record, record.outages, events);
  const moved = rescheduled(present, record);
  if (moved !== null) events.push(moved);
  const startsAtUs = moved?.startsAtUs ?? present.startsAtUs;
  const paused = moved?.paused ?? present.paused;
  if (state.status === 'scheduled' && nowUs >= startsAtUs && !paused) events.push({ type: 'lot_opened' });
  return events;
}

/** The lot after the outages since its last entry, each judged on what was true when it was over. */
function outlastAll(
  state: LotState,
  record: AuctionRecord,
  outages: readonly Outage[],
  events: NewEvent[],
): LotState {
  let present = state;
  for (const outage of outages) {
    if (outage.toUs <= state.recordedAtUs) continue;
    const then = beforePausesFrom(record, outage.toUs);
    for (const move of [rescheduled, outlasted]) {
      const moved = move(present, then, outage);
      if (moved === null) continue;
      events.push(moved);
      present = evolve(present, { ...moved, sequence: present.sequence });
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

/** Rule 10: sold (a leader, reserve met), passed (a leader, reserve not met) or unsold (no bids). */
export function closedByTime(state: LotState): Unsequenced<LotClosed> {
  const common = { type: 'lot_closed', reason: 'time', flags: [], floor: null, saleFacts: null } as const;
  if (state.leader === null) return { ...common, status: 'unsold', hammerCents: null, winner: null };
  if (!reserveMet(state)) return { ...common, status: 'passed', hammerCents: null, winner: null };
  const { key, userId, alias, paddle } = state.leader;
  return {
    ...common,
    status: 'sold',
    hammerCents: state.currentCents,
    winner: { key, userId, alias, paddle },
  };
}

/** Rule 13: what a purchase at the buy-now price closes the lot with. */
export function closedByPurchase({ bidder, hammerCents }: BidPlaced): Unsequenced<LotClosed> {
  const common = { flags: [], floor: null, saleFacts: null } as const;
  return {
    type: 'lot_closed',
    reason: 'buy_now',
    status: 'sold',
    hammerCents,
    winner: { ...bidder },
    ...common,
  };
}

/**
 * Rule 8: the end that a bid accepted now, which changed the leader or the current bid, moves the lot to; null when it
 * moves nothing. A simulcast lot takes bids past its end: then nothing is left, which is less than any window.
 */
export function extendedEndUs(
  { endsAtUs, extensionCount }: LotState,
  { softClose }: AuctionRecord,
  nowUs: number,
  explain?: Explain,
): number | null {
  const { windowSeconds, extensionSeconds, maxExtensions } = softClose;
  const leftUs = endsAtUs - nowUs;
  const isClose = windowSeconds !== 0 && leftUs < windowSeconds * 1_000_000;
  const mayMove = isClose && (maxExtensions === null || extensionCount < maxExtensions);
  const extendedUs = nowUs + extensionSeconds * 1_000_000;
  const movedToUs = mayMove && extendedUs > endsAtUs ? extendedUs : null;
  explain?.({ rule: 8, leftUs, ...softClose, extensionCount, endsAtUs, movedToUs });
  return movedToUs;
}
