/**
 * Folds one event into the state of a tender. Events carry their consequences. `shownSequence` counts as if nobody had
 * bid: what bids add to the sequence shows nowhere before the end.
 */
import { evolveCommon } from '../../lot/evolve-common.ts';
import { type LotState, UNSCHEDULED } from '../../lot/state.ts';
import { isReserveMet, priceCents } from './opening-bids.ts';
import { type BidSealed, type BidsOpened, isSilent, type TenderEvent } from './tender-events.ts';
import { settingsOf } from './tender-settings.ts';
import type { SealedBid, TenderState } from './tender-state.ts';

/** The state before the first event: what `lot_scheduled` is folded into. */
export const NO_LOT: TenderState = {
  format: 'tender',
  ...UNSCHEDULED,
  ...settingsOf({}),
  lotKey: '',
  round: 1,
  bids: [],
  firsts: [],
  finalists: null,
  isOpened: false,
  top: null,
  secondCents: null,
  shownSequence: 0,
  shownAtUs: 0,
};

/** Not known before the entry is sealed. */
const UNKNOWN_US = -1;

export function evolve(state: TenderState, event: TenderEvent): TenderState {
  const next = { ...folded(state, event), sequence: event.sequence };
  if (isSilent(event)) return next;
  const shownSequence = state.shownSequence + event.sequence - state.sequence;
  return { ...next, shownSequence, shownAtUs: UNKNOWN_US };
}

/** What the entry adds: bids are of its moment. */
export function withEntry(
  state: TenderState,
  { hash, recordedAtUs }: Pick<LotState, 'hash' | 'recordedAtUs'>,
): TenderState {
  const bids = state.bids.map((bid) => (bid.hash === '' ? { ...bid, hash, placedAtUs: recordedAtUs } : bid));
  const shownAtUs = state.shownAtUs === UNKNOWN_US ? recordedAtUs : state.shownAtUs;
  return { ...state, bids, shownAtUs, hash, recordedAtUs };
}

function folded(state: TenderState, event: TenderEvent): TenderState {
  switch (event.type) {
    case 'bid_sealed':
      return bidSealed(state, event);
    case 'bid_unsealed':
      return unsealed(state, event.bidId);
    case 'final_round_opened': {
      const { endsAtUs, finalists } = event;
      return { ...state, round: 2, endsAtUs, finalists };
    }
    case 'bids_opened':
      return bidsOpened(state, event);
    // A second chance that was taken.
    case 'bid_placed': {
      const { bidId, bidder, amountCents: cents, currentCents, bidCount } = event;
      const { key, userId, alias, paddle } = bidder;
      return { ...state, currentCents, bidCount, top: { bidId, key, userId, alias, paddle, cents } };
    }
    case 'lot_scheduled':
      return {
        ...evolveCommon(state, event),
        ...settingsOf(event.settings ?? {}),
        lotKey: event.lotKey ?? '',
      };
    // What a first bid freezes elsewhere is so from the start.
    case 'lot_opened':
      return { ...evolveCommon(state, event), frozen: true };
    default:
      return evolveCommon(state, event);
  }
}

function bidSealed(state: TenderState, event: BidSealed): TenderState {
  const { bidId, sequence, bidder, channel, round, sealed, replaces } = event;
  const { key, userId, alias, paddle } = bidder;
  const bid: SealedBid = {
    ...{ bidId, sequence, key, userId, alias, paddle, channel, round, sealed },
    ...{ placedAtUs: 0, hash: '' },
  };
  const replaced = state.bids.filter((one) => one.bidId === replaces && round === 2);
  return {
    ...state,
    bids: [...state.bids.filter((one) => one.bidId !== replaces), bid],
    firsts: [...state.firsts, ...replaced],
  };
}

/** Whose final bid is taken out has no first one either. */
function unsealed(state: TenderState, bidId: string): TenderState {
  const key = state.bids.find((bid) => bid.bidId === bidId)?.key;
  const bids = state.bids.filter((bid) => bid.bidId !== bidId);
  return { ...state, bids, firsts: state.firsts.filter((bid) => bid.key !== key) };
}

function bidsOpened(state: TenderState, { bids }: BidsOpened): TenderState {
  const [first, second] = bids.filter(({ rank }) => rank !== null);
  const count = bids.filter(({ rank }) => rank !== null).length;
  const secondCents = second?.cents ?? null;
  const emptied = { ...state, bids: [], firsts: [], finalists: null, isOpened: true, bidCount: count };
  if (first === undefined) return { ...emptied, secondCents };
  const { bidId, key, userId, alias, paddle, cents } = first;
  const next = { ...emptied, secondCents, top: { bidId, key, userId, alias, paddle, cents } };
  return { ...next, currentCents: isReserveMet(next) ? priceCents(next) : cents };
}
