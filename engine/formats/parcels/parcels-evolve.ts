/** Folds one event into the state of a sale of tracts. Events carry their consequences, the leading choice too. */

import type { LotAmended, TermsChanged } from '../../lot/events.ts';
import { evolveCommon, floorAfter } from '../../lot/evolve-common.ts';
import { UNSCHEDULED } from '../../lot/state.ts';
import type {
  ParcelsBidPlaced,
  ParcelsEvent,
  ParcelsLotClosed,
  ParcelsLotWithdrawn,
} from './parcels-events.ts';
import { shownOf } from './parcels-faces.ts';
import { closedBy, endOf, withHeld, withoutClose, withoutHeld } from './parcels-held.ts';
import { settingsOf } from './parcels-settings.ts';
import {
  isOpenLot,
  lotsIn,
  type ParcelBid,
  type ParcelLot,
  type ParcelsState,
  setOf,
  setTotal,
} from './parcels-state.ts';

/** The state before the first event: what `lot_scheduled` is folded into. */
export const NO_LOT: ParcelsState = {
  format: 'parcels',
  ...UNSCHEDULED,
  ...settingsOf({}, 2),
  bids: [],
  leading: [],
  totalCents: 0,
  held: null,
};

export function evolve(state: ParcelsState, event: ParcelsEvent): ParcelsState {
  const next = folded(state, event);
  return next.lots.length === 0 ? next : { ...next, ...shownOf(next, next.lotId), sequence: event.sequence };
}

function folded(state: ParcelsState, event: ParcelsEvent): ParcelsState {
  switch (event.type) {
    case 'lot_scheduled':
      return { ...evolveCommon(state, event), ...settingsOf(event.settings ?? {}, event.decimals ?? 2) };
    case 'lot_opened': {
      const lots = state.lots.map((lot) => (isOpenLot(lot) ? ({ ...lot, status: 'active' } as const) : lot));
      return { ...evolveCommon(state, event), lots };
    }
    case 'bid_placed':
      return bidPlaced(state, event);
    case 'bid_voided': {
      const bids = state.bids.filter((bid) => bid.bidId !== event.bidId);
      return { ...state, bids, ...choiceIn(event) };
    }
    case 'terms_changed':
      return termsChanged(state, event);
    case 'lot_withdrawn':
      return withdrawn(state, event);
    case 'lot_closed':
      return closed(state, event);
    case 'hammer_fell':
      return withHeld(state, event);
    case 'lot_reopened':
      return withoutHeld(state);
    // What it is said to be is no part of the state.
    case 'lot_amended':
      return state;
    default:
      return evolveCommon(state, event);
  }
}

function bidPlaced(state: ParcelsState, event: ParcelsBidPlaced): ParcelsState {
  const { sequence, bidId, lotIds, amountCents: cents, channel, endsAtUs } = event;
  const { key, userId, alias, paddle } = event.bidder;
  const set = setOf(state, lotIds) ?? 0;
  const named = lotsIn(state, set);
  const bid: ParcelBid = {
    ...{ bidId, sequence, set, cents, totalCents: setTotal(state, set, cents) },
    ...{ key, userId, alias, paddle, channel },
  };
  const lots = named.every(({ frozen }) => frozen)
    ? state.lots
    : state.lots.map((lot) => (named.includes(lot) ? { ...lot, frozen: true } : lot));
  const extended = event.extendedToUs !== null;
  return {
    ...state,
    lots,
    bids: [...state.bids, bid],
    ...choiceIn(event),
    endsAtUs,
    floorSequences: floorAfter(state, event),
    extensionCount: state.extensionCount + (extended ? 1 : 0),
    extendedByOutage: state.extendedByOutage && !extended,
  };
}

function choiceIn({ leading = [], totalCents = 0 }: Pick<ParcelsLotWithdrawn, 'leading' | 'totalCents'>) {
  return { leading: leading.map(({ bid_id }) => bid_id), totalCents };
}

function termsChanged(state: ParcelsState, event: TermsChanged): ParcelsState {
  const { startingBidCents, reserveCents, consignorUserId } = event;
  return changed(state, event, (lot) => ({
    ...lot,
    ...{ startingBidCents, reserveCents, consignorUserId },
    units: event.units === undefined ? lot.units : event.units,
    reserveLowered: lot.reserveLowered || (lot.frozen && reserveCents !== lot.reserveCents),
  }));
}

/** The state with one of its lots changed: the one that an event names. */
function changed(
  state: ParcelsState,
  { lotId = state.lotId }: Pick<TermsChanged | LotAmended, 'lotId'>,
  change: (lot: ParcelLot) => ParcelLot,
): ParcelsState {
  return { ...state, lots: state.lots.map((lot) => (lot.lotId === lotId ? change(lot) : lot)) };
}

/** A bid stands as long as all of its lots do. */
function withdrawn(state: ParcelsState, event: ParcelsLotWithdrawn): ParcelsState {
  const { lotId } = event;
  if (lotId === undefined) {
    const lots = state.lots.map((lot) => (isOpenLot(lot) ? ({ ...lot, status: 'withdrawn' } as const) : lot));
    return { ...evolveCommon(state, event), lots };
  }
  const set = setOf(state, [lotId]) ?? 0;
  const bids = state.bids.filter((bid) => (bid.set & set) === 0);
  const next = changed(state, event, (lot) => ({ ...lot, status: 'withdrawn' }));
  return overWithLast({ ...next, bids, ...choiceIn(event) });
}

function closed(state: ParcelsState, event: ParcelsLotClosed): ParcelsState {
  const { lotId = state.lotId, saleFacts } = event;
  const lots = closedBy(state.lots, [{ ...event, lotId }]);
  const held = withoutClose(state.held, lotId);
  return overWithLast({ ...state, lots, floorSequences: floorAfter(state, event), saleFacts, held });
}

/** The sale is over with the last of its lots. */
function overWithLast(state: ParcelsState): ParcelsState {
  if (state.lots.some(isOpenLot)) return state;
  return { ...state, status: endOf(state.lots) };
}
