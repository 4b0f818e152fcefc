/**
 * Folds one event into a lot's state. Events carry their consequences, so folding never decides anything: replaying a
 * journal gives the same state whatever the rules have become since.
 */
import type { BidPlaced, LotEvent, LotScheduled } from './events.ts';
import type { LotState } from './state.ts';

/** The state before the first event: what `lot_scheduled` is folded into. */
export const NO_LOT: LotState = {
  lotId: 0,
  auctionId: 0,
  lotNumber: 0,
  sequence: 0,
  hash: '',
  recordedAtUs: 0,
  status: 'scheduled',
  startsAtUs: 0,
  endsAtUs: 0,
  originalEndsAtUs: 0,
  extensionCount: 0,
  extendedByOutage: false,
  pausesApplied: 0,
  paused: false,
  startingBidCents: 0,
  reserveCents: null,
  buyNowCents: null,
  consignorUserId: null,
  currentCents: 0,
  bidCount: 0,
  leader: null,
  frozen: false,
  reserveLowered: false,
  hammerCents: null,
  winner: null,
  floorSequences: {},
  saleFacts: null,
};

export function evolve(state: LotState, event: LotEvent): LotState {
  const { sequence } = event;
  switch (event.type) {
    case 'lot_scheduled':
      return scheduled(state, event);
    case 'lot_opened':
      return { ...state, sequence, status: 'active' };
    case 'lot_rescheduled': {
      const { startsAtUs, endsAtUs, originalEndsAtUs, paused, pausesApplied } = event;
      const extendedByOutage = event.reason === 'outage' || state.extendedByOutage;
      return {
        ...state,
        sequence,
        startsAtUs,
        endsAtUs,
        originalEndsAtUs,
        extendedByOutage,
        paused,
        pausesApplied,
      };
    }
    case 'bid_placed':
      return bidPlaced(state, event);
    case 'terms_changed': {
      const { startingBidCents, reserveCents, buyNowCents, consignorUserId, currentCents } = event;
      return {
        ...state,
        sequence,
        startingBidCents,
        reserveCents,
        buyNowCents,
        consignorUserId,
        currentCents,
        reserveLowered: state.reserveLowered || (state.frozen && reserveCents !== state.reserveCents),
      };
    }
    case 'bid_voided': {
      const { currentCents, leader, bidCount } = event;
      return { ...state, sequence, currentCents, leader, bidCount };
    }
    case 'lot_closed': {
      const { status, hammerCents, winner, saleFacts } = event;
      return {
        ...state,
        sequence,
        status,
        hammerCents,
        winner,
        saleFacts,
        floorSequences: floorOf(state, event),
      };
    }
    case 'lot_reopened':
      return { ...state, sequence, status: 'active', saleFacts: null };
    case 'lot_withdrawn':
      return { ...state, sequence, status: 'withdrawn' };
    case 'lot_recovered':
      return { ...state, sequence };
  }
}

/**
 * The state once the events that led to it are in an entry. Every commit comes through here, so the fields are written
 * out as in `bidPlaced`, for the same reason; the compiler reports where one is missing.
 */
export function withEntry(state: LotState, entry: Pick<LotState, 'hash' | 'recordedAtUs'>): LotState {
  return {
    lotId: state.lotId,
    auctionId: state.auctionId,
    lotNumber: state.lotNumber,
    sequence: state.sequence,
    hash: entry.hash,
    recordedAtUs: entry.recordedAtUs,
    status: state.status,
    startsAtUs: state.startsAtUs,
    endsAtUs: state.endsAtUs,
    originalEndsAtUs: state.originalEndsAtUs,
    extensionCount: state.extensionCount,
    extendedByOutage: state.extendedByOutage,
    pausesApplied: state.pausesApplied,
    paused: state.paused,
    startingBidCents: state.startingBidCents,
    reserveCents: state.reserveCents,
    buyNowCents: state.buyNowCents,
    consignorUserId: state.consignorUserId,
    currentCents: state.currentCents,
    bidCount: state.bidCount,
    leader: state.leader,
    frozen: state.frozen,
    reserveLowered: state.reserveLowered,
    hammerCents: state.hammerCents,
    winner: state.winner,
    floorSequences: state.floorSequences,
    saleFacts: state.saleFacts,
  };
}

function scheduled(state: LotState, event: LotScheduled): LotState {
  const { type: _type, salt: _salt, ...terms } = event;
  return { ...state, ...terms, status: 'scheduled', originalEndsAtUs: event.endsAtUs };
}

/** Written out in full, as nearly every event is a bid: a spread of so many fields costs ten times as much. */
function bidPlaced(state: LotState, event: BidPlaced): LotState {
  const { extendedToUs } = event;
  const won = event.outcome === 'won';
  return {
    lotId: state.lotId,
    auctionId: state.auctionId,
    lotNumber: state.lotNumber,
    sequence: event.sequence,
    hash: state.hash,
    recordedAtUs: state.recordedAtUs,
    status: won ? 'sold' : state.status,
    startsAtUs: state.startsAtUs,
    endsAtUs: extendedToUs ?? state.endsAtUs,
    originalEndsAtUs: state.originalEndsAtUs,
    extensionCount: extendedToUs === null ? state.extensionCount : state.extensionCount + 1,
    extendedByOutage: state.extendedByOutage && extendedToUs === null,
    pausesApplied: state.pausesApplied,
    paused: state.paused,
    startingBidCents: state.startingBidCents,
    reserveCents: state.reserveCents,
    buyNowCents: state.buyNowCents,
    consignorUserId: state.consignorUserId,
    currentCents: event.currentCents,
    bidCount: event.bidCount,
    leader: event.leader,
    frozen: true,
    reserveLowered: state.reserveLowered,
    hammerCents: won ? event.hammerCents : state.hammerCents,
    winner: won ? winnerOf(event) : state.winner,
    floorSequences: floorOf(state, event),
    saleFacts: state.saleFacts,
  };
}

function winnerOf({ bidder }: BidPlaced): LotState['winner'] {
  const { key, userId, alias, paddle } = bidder;
  return { key, userId, alias, paddle };
}

function floorOf(
  state: LotState,
  event: { readonly floor: { readonly platform: string; readonly sequence: number } | null },
): LotState['floorSequences'] {
  if (event.floor === null) return state.floorSequences;
  return { ...state.floorSequences, [event.floor.platform]: event.floor.sequence };
}
