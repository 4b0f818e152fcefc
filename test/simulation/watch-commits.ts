/**
 * What must hold at the very moment of a commit, judged from the journal's place: nobody else can know its clock then.
 * The rest is checked when the run is over.
 */

import type { MemoryStore } from '../../adapters/memory/memory-journal.ts';
import type { Batch } from '../../engine/actor/journal.ts';
import { decodeEvents, evolve, NO_LOT } from '../../engine/formats/formats.ts';
import type { LotEvent } from '../../engine/lot/events.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { Trace } from './trace.ts';

const OLDEST_STAMP_US = 250_000;

/** Checks a commit that added an entry; `before` is the lot's previous state, null for a new one. */
export function checkCommit(
  trace: Trace,
  before: LotState | null,
  batch: Batch,
  store: MemoryStore,
  serverUs: number,
): void {
  const entry = batch.entry!;
  const where = `entry ${entry.sequence} of lot ${entry.lotId}`;
  const lateUs = serverUs - entry.recordedAtUs;
  if (lateUs < 0) trace.fail(`${where} is dated ${-lateUs} us after the journal's clock`);
  if (lateUs > OLDEST_STAMP_US) trace.fail(`${where} is dated ${lateUs} us before the journal's clock`);
  if (store.records.get(batch.auctionId)?.type === 'simulcast') return;
  checkInTime(trace, where, before ?? NO_LOT, decodeEvents(entry.privateText), serverUs);
  checkIndex(trace, store, batch.lotId);
}

/** The first bid of an entry is decided on the end before it; the following ones on the end that it set. */
function checkInTime(
  trace: Trace,
  where: string,
  before: LotState,
  events: readonly LotEvent[],
  serverUs: number,
): void {
  let state = before;
  for (const event of events) {
    if (event.type === 'bid_placed' || event.type === 'bid_sealed') {
      if (serverUs >= state.endsAtUs)
        trace.fail(`${where} took a bid ${serverUs - state.endsAtUs} us after the end`);
      return;
    }
    state = evolve(state, event);
  }
}

/** The closing index must name the moment that the lot itself names. */
function checkIndex(trace: Trace, store: MemoryStore, lotId: number): void {
  const state = store.lots.get(lotId)!;
  const record = store.records.get(state.auctionId)!;
  const isPaused = record.pauses.at(-1)?.toUs === null;
  const own =
    state.status === 'scheduled' ? state.startsAtUs : state.status === 'active' ? state.endsAtUs : null;
  const wanted = isPaused ? null : own;
  const found = store.due.get(lotId) ?? null;
  if (found !== wanted)
    trace.fail(`the closing index has ${found} for lot ${lotId}, which is due at ${wanted}`);
}
