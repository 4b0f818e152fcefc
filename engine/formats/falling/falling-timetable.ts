/**
 * When a lot on a falling clock starts and ends: lots start one after the other by the auction's stagger, and end when
 * the clock has come down and stayed at the floor. What holds the sale up (a pause, an outage of the journal) holds the
 * clock up: it moves the start, and with it every price that is still to come.
 */
import { type AuctionRecord, type Outage, pausedAt } from '../../auction/record.ts';
import { itemAt } from '../../first-of.ts';
import { boundaryUs, type Rescheduled, type Timetable } from '../../lot/closing.ts';
import type { LotTimes } from '../../lot/format.ts';
import { LAST_US } from '../../time.ts';
import { type Clock, durationUs, type FallingState, nextFallUs } from './falling-state.ts';

/** When a lot starts and ends, had nothing held its auction up. */
export function firstTimes(clock: Clock, lotNumber: number, record: AuctionRecord): LotTimes {
  const startsAtUs = Math.min(
    LAST_US,
    record.startsAtUs + (lotNumber - 1) * record.staggerSeconds * 1_000_000,
  );
  return { startsAtUs, endsAtUs: Math.min(LAST_US, startsAtUs + durationUs(clock)) };
}

export const TIMETABLE: Timetable<FallingState> = { rescheduled, outlasted };

function rescheduled(state: FallingState, record: AuctionRecord): Rescheduled | null {
  const originalEndsAtUs = firstTimes(state, state.lotNumber, record).endsAtUs;
  // A lot whose clock runs keeps its start, whatever the auction's is now.
  let heldUpUs = state.status === 'scheduled' ? originalEndsAtUs - state.originalEndsAtUs : 0;
  let { pausesApplied } = state;
  let paused = false;
  for (let at = pausesApplied; at < record.pauses.length; at += 1) {
    const { fromUs, toUs } = itemAt(record.pauses, at);
    const isAffected = state.endsAtUs + heldUpUs > fromUs;
    if (toUs === null) {
      paused = isAffected;
      continue;
    }
    pausesApplied += 1;
    if (isAffected) heldUpUs += toUs - fromUs;
  }
  const same =
    heldUpUs === 0 &&
    originalEndsAtUs === state.originalEndsAtUs &&
    paused === state.paused &&
    pausesApplied === state.pausesApplied;
  if (same) return null;
  const reason = paused !== state.paused ? (paused ? 'paused' : 'resumed') : 'auction_changed';
  return {
    type: 'lot_rescheduled',
    reason,
    ...later(state, heldUpUs),
    originalEndsAtUs,
    paused,
    pausesApplied,
  };
}

/** What of an outage fell into the lot's time is given back to it. */
function outlasted(state: FallingState, record: AuctionRecord, outage: Outage): Rescheduled | null {
  const { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied } = state;
  const isHit = startsAtUs < outage.toUs && endsAtUs > outage.fromUs && !pausedAt(record, outage.toUs);
  if (!isHit) return null;
  const times = later(state, outage.toUs - Math.max(outage.fromUs, startsAtUs));
  return {
    type: 'lot_rescheduled',
    reason: 'outage',
    ...times,
    originalEndsAtUs,
    paused,
    pausesApplied,
    outage,
  };
}

function later({ startsAtUs, endsAtUs }: FallingState, byUs: number): LotTimes {
  return { startsAtUs: Math.min(LAST_US, startsAtUs + byUs), endsAtUs: Math.min(LAST_US, endsAtUs + byUs) };
}

/** Until when the price stays as it is, or nothing else changes; null: only people change anything. */
export function validUntilUs(state: FallingState, record: AuctionRecord, nowUs: number): number | null {
  const boundary = boundaryUs(state, record, nowUs);
  if (boundary === null || nowUs < state.startsAtUs) return boundary;
  return Math.min(boundary, nextFallUs(state, nowUs) ?? boundary);
}
