/**
 * Rule 24 for a sale of tracts: the hammer has fallen on all lots, and may be taken back for a few seconds. Until then
 * each lot shows what it has come to, but nothing follows from it: the closes, which are fixed when the hammer falls,
 * wait for the end of that time.
 */
import type { Context, Verdict } from '../../lot/decision.ts';
import type { NewEvent } from '../../lot/events.ts';
import type { Judge } from '../../lot/format.ts';
import { isOpen } from '../../lot/state.ts';
import type { HeldSale, ParcelsEvent, ParcelsHammerFell, ParcelsLotClosed } from './parcels-events.ts';
import { ENDS, type ParcelLot, type ParcelsState } from './parcels-state.ts';

/** The lots as closes leave them. */
export function closedBy(
  lots: readonly ParcelLot[],
  closes: readonly NewEvent<ParcelsLotClosed>[],
): ParcelLot[] {
  return lots.map((lot) => {
    const close = closes.find(({ lotId }) => lotId === lot.lotId);
    if (close === undefined) return lot;
    const { status, hammerCents, winner, set } = close;
    return { ...lot, status, hammerCents, winner, setBidId: set?.bidId ?? null };
  });
}

/** What lots have come to as one sale: the first of the ends that one of them has. */
export function endOf(lots: readonly Pick<ParcelLot, 'status'>[]) {
  return ENDS.find((end) => lots.some(({ status }) => status === end)) ?? 'unsold';
}

/** The sale with the result that the hammer has decided. */
export function withHeld(state: ParcelsState, { untilUs, closes }: ParcelsHammerFell): ParcelsState {
  const lots = closedBy(state.lots, closes);
  const saleFacts = closes[0]?.saleFacts ?? null;
  return { ...state, lots, saleFacts, status: endOf(lots), held: { untilUs, closes } };
}

/** The sale as it was before the hammer fell. */
export function withoutHeld(state: ParcelsState): ParcelsState {
  if (state.held === null) return state;
  const { closes } = state.held;
  const lots = state.lots.map((lot) =>
    closes.some(({ lotId }) => lotId === lot.lotId)
      ? { ...lot, status: 'active' as const, hammerCents: null, winner: null, setBidId: null }
      : lot,
  );
  return { ...state, lots, saleFacts: null, status: 'active', held: null };
}

/** What is still held once a lot's close is final; null: nothing. */
export function withoutClose(held: HeldSale | null, lotId: number): HeldSale | null {
  const closes = held?.closes.filter((close) => close.lotId !== lotId) ?? [];
  return held === null || closes.length === 0 ? null : { ...held, closes };
}

/** The clerk takes the hammer back. */
export function decideLift(state: ParcelsState, { nowUs }: Pick<Context, 'nowUs'>): Verdict<ParcelsEvent> {
  if (isOpen(state)) return { refuse: 'invalid_transition' };
  if (state.held === null || nowUs >= state.held.untilUs) return { refuse: 'undo_too_late' };
  return { events: [{ type: 'lot_reopened', reason: 'taken_back' }] };
}

/** What makes a held result final, when its time is over. */
export function settle({ held }: ParcelsState, { nowUs }: Pick<Context, 'nowUs'>): NewEvent<ParcelsEvent>[] {
  return held === null || nowUs < held.untilUs ? [] : [...held.closes];
}

/** Whether a held result became final as it was held, and neither too early nor taken back too late. */
export function checkHeld(
  { held }: ParcelsState,
  event: ParcelsEvent,
  { recordedAtUs, fail, expectSame }: Judge<ParcelsEvent>,
): void {
  if (event.type === 'lot_reopened') {
    if (held === null) fail('takes a hammer back that has not fallen');
    else if (recordedAtUs >= held.untilUs) fail('takes the hammer back too late');
  }
  if (event.type !== 'lot_closed' || held === null) return;
  const { sequence: _sequence, ...close } = event;
  if (recordedAtUs < held.untilUs) fail('makes a result final before its time');
  const own = held.closes.find(({ lotId }) => lotId === close.lotId);
  expectSame('close', own, close);
}
