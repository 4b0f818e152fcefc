/**
 * Folds the events that every format has into a lot's state. Events carry their consequences, so folding never decides
 * anything: replaying a journal gives the same state whatever the rules have become since.
 */
import { timetableOf } from './closing.ts';
import type { CommonEvent, LotScheduled } from './events.ts';
import type { LotState } from './state.ts';

/** The state after an event that every format has; the fields of the format's own stay as they are. */
export function evolveCommon<S extends LotState>(state: S, event: CommonEvent): S {
  const { sequence } = event;
  switch (event.type) {
    case 'lot_scheduled':
      return scheduled(state, event);
    case 'lot_opened':
      return { ...state, sequence, status: 'active' };
    case 'lot_rescheduled':
      return { ...state, ...timetableOf(state, event), sequence };
    case 'terms_changed': {
      const { startingBidCents, reserveCents, buyNowCents, consignorUserId, currentCents } = event;
      const units = event.units === undefined ? state.units : event.units;
      const reserveLowered = state.reserveLowered || (state.frozen && reserveCents !== state.reserveCents);
      const terms = { startingBidCents, reserveCents, buyNowCents, consignorUserId, units };
      return { ...state, ...terms, sequence, currentCents, reserveLowered };
    }
    case 'lot_closed': {
      const { status, hammerCents, winner, saleFacts } = event;
      const floorSequences = floorAfter(state, event);
      return { ...state, sequence, status, hammerCents, winner, saleFacts, floorSequences };
    }
    case 'lot_reopened':
      return { ...state, sequence, status: 'active', saleFacts: null };
    case 'lot_withdrawn':
      return { ...state, sequence, status: 'withdrawn' };
    case 'lot_conditions_set':
      return { ...state, sequence, conditionsVersion: event.conditions?.version ?? 0 };
    case 'lot_recovered':
    case 'lot_amended':
      return { ...state, sequence };
  }
}

function scheduled<S extends LotState>(state: S, event: LotScheduled): S {
  const {
    type: _type,
    salt: _salt,
    closeGroup: _group,
    choiceGroup: _choice,
    lotKey: _key,
    ...terms
  } = event;
  return { ...state, ...terms, status: 'scheduled', originalEndsAtUs: event.endsAtUs };
}

/** The last sequences of the platforms once an event of one of them is applied. */
export function floorAfter(
  { floorSequences }: LotState,
  event: { readonly floor: { readonly platform: string; readonly sequence: number } | null },
): LotState['floorSequences'] {
  if (event.floor === null) return floorSequences;
  return { ...floorSequences, [event.floor.platform]: event.floor.sequence };
}
