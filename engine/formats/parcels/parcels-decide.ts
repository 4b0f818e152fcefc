/** Decides one command on a sale of tracts: pure, with the journal's clock handed in. */
import type { AuctionRecord } from '../../auction/record.ts';
import type { AcceptedBid } from '../../lot/answers.ts';
import { catchUp as catchUpWith, isOver, reopenedAfterVoid } from '../../lot/closing.ts';
import type { AmendLot, BidCommand, ChangeTerms, Command, VoidBid, Withdraw } from '../../lot/commands.ts';
import { decideAmendment, decideChange, decideWithdraw } from '../../lot/decide-terms.ts';
import { decideWith, type Handlers, type OwnCommand } from '../../lot/deciding.ts';
import type { Context, Decision, Needed, Verdict } from '../../lot/decision.ts';
import type { CommonEvent, NewEvent } from '../../lot/events.ts';
import { isOpen } from '../../lot/state.ts';
import { isPerUnit, type LotUnits } from '../../lot/units.ts';
import { choiceOf, highestOn, minimumCents, sumOf } from './lead-price.ts';
import { decideEither, setOfBid } from './parcels-bid.ts';
import { closedAll, reachesWhole, wouldBuy } from './parcels-close.ts';
import type { ParcelsBidPlaced, ParcelsEvent, ParcelsLotWithdrawn } from './parcels-events.ts';
import { evolve } from './parcels-evolve.ts';
import { faceOf } from './parcels-faces.ts';
import { leadingOn, type ParcelBid, type ParcelsState, setOf } from './parcels-state.ts';
import { isPricedSale, minimumNextCents, shownBid, shownLeading } from './parcels-view.ts';

const HANDLERS: Handlers<ParcelsState, ParcelsEvent, ParcelsBidPlaced> = {
  catchUp,
  evolve,
  bid: decideEither,
  other: decideOther,
  close: (state) => closedAll(state, 'time'),
  withdraw: decideLotWithdrawal,
  amend: decideLotAmendment,
  accepted,
  minimumNextCents,
};

/** All lots end together, whatever stagger their auction has. */
export function catchUp(
  state: ParcelsState,
  record: AuctionRecord,
  nowUs: number,
): readonly NewEvent<CommonEvent>[] {
  return catchUpWith(state, record.staggerSeconds === 0 ? record : { ...record, staggerSeconds: 0 }, nowUs);
}

/** Decides a command. Returns a need instead where something must be fetched before it can be decided. */
export function decide(
  state: ParcelsState,
  command: Command,
  context: Context,
): Decision<ParcelsState, ParcelsEvent> | Needed {
  const decided = decideWith(HANDLERS, state, command, context);
  if ('need' in decided || decided.answer.kind !== 'refused' || command.type !== 'place_bid') return decided;
  const set = setOfBid(state, command);
  if (set === null) return decided;
  // What is told with a refusal is of the set that was bid on.
  const minimumNextCents = minimumCents(state, set, context.record.increments);
  const currentCents = highestOn(state, set)?.cents ?? 0;
  return { ...decided, answer: { ...decided.answer, currentCents, minimumNextCents } };
}

function decideOther(
  state: ParcelsState,
  command: OwnCommand,
  context: Context,
  journalSequence: number,
): Verdict<ParcelsEvent> {
  switch (command.type) {
    case 'change_terms':
      return decideTerms(state, command);
    case 'void_bid':
      return decideVoid(state, command, context, journalSequence);
    case 'record_sale':
    case 'undo_call':
    case 'lift_hammer':
    case 'resell':
      return { refuse: 'invalid_transition' };
    // Every bid stands until the end.
    case 'withdraw_bid':
      return { refuse: 'withdrawal_not_allowed' };
  }
}

/** The choice without some bids, as events have it. */
function withoutBids(state: ParcelsState, lots: ParcelsState['lots'], isOut: (bid: ParcelBid) => boolean) {
  const bids = state.bids.filter((bid) => !isOut(bid));
  const choice = choiceOf(lots, bids);
  const leading = choice.map((bid) => shownBid(state, bid));
  return { leading, totalCents: sumOf(choice), bidCount: bids.length };
}

/** One lot leaves the sale, and with it every bid that names it. */
function decideLotWithdrawal(state: ParcelsState, command: Withdraw): Verdict<ParcelsEvent> {
  const { lotId = state.lotId } = command;
  const verdict = decideWithdraw(faceOf(state, lotId), command);
  if (!('events' in verdict)) return verdict;
  const set = setOf(state, [lotId]) ?? 0;
  const lots = state.lots.map((lot) =>
    lot.lotId === lotId ? ({ ...lot, status: 'withdrawn' } as const) : lot,
  );
  const { leading, totalCents } = withoutBids(state, lots, (bid) => (bid.set & set) !== 0);
  const event: NewEvent<ParcelsLotWithdrawn> = { type: 'lot_withdrawn', reason: command.reason, lotId };
  return { events: [{ ...event, leading, totalCents }] };
}

function decideLotAmendment(state: ParcelsState, command: AmendLot, context: Context): Verdict<ParcelsEvent> {
  const { lotId = state.lotId } = command;
  const verdict = decideAmendment(faceOf(state, lotId), command, context);
  if (!('events' in verdict)) return verdict;
  return { events: verdict.events.map((event) => ({ ...event, lotId })) };
}

/** Amounts are for a unit of all lots, or of none: that no single one changes. */
function decideTerms(state: ParcelsState, command: ChangeTerms): Verdict<ParcelsEvent> {
  const { lotId = state.lotId, units, buyNowCents = null, withdrawal, ...rest } = command;
  if (buyNowCents !== null || (units !== undefined && breaksUnits(state, units)))
    return { refuse: 'lot_locked' };
  const face = faceOf(state, lotId);
  const wanted = { ...rest, ...(units === undefined ? null : { units }) };
  const changed = decideChange(face, wanted, () => face.currentCents);
  if (!('events' in changed)) return changed;
  const events = changed.events.map((event) => ({ ...event, lotId }));
  if (withdrawal === undefined) return { events };
  const withdrawn = decideLotWithdrawal(state, { type: 'withdraw', ...withdrawal, lotId });
  return 'events' in withdrawn ? { events: [...events, ...withdrawn.events] } : withdrawn;
}

function breaksUnits(state: ParcelsState, units: LotUnits | null): boolean {
  return isPerUnit(units) !== isPricedSale(state);
}

/** Rule 15: what the remaining bids come to. */
function decideVoid(
  state: ParcelsState,
  { bidId, reason, history }: VoidBid,
  { record, nowUs }: Context,
  journalSequence: number,
): Verdict<ParcelsEvent> {
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  if (!state.bids.some((bid) => bid.bidId === bidId)) {
    // One of whose lots was withdrawn stands no more either.
    const isKnown = history.events.some((event) => event.type === 'bid_placed' && event.bidId === bidId);
    return { refuse: isKnown ? 'already_voided' : 'bid_unknown' };
  }
  const after = withoutBids(state, state.lots, (bid) => bid.bidId === bidId);
  const reopened = after.totalCents < state.totalCents ? reopenedAfterVoid(state, record, nowUs) : null;
  const { totalCents: currentCents } = after;
  return {
    events: [
      { type: 'bid_voided', bidId, reason, ...after, currentCents, changedRows: [] },
      ...(reopened === null ? [] : [reopened]),
    ],
  };
}

/** The lot of the answer is the one that the bid was sent to. */
function accepted(
  next: ParcelsState,
  event: ParcelsBidPlaced,
  context: Context,
  command: BidCommand,
): AcceptedBid {
  const { lotId = next.lotId } = command;
  const face = faceOf(next, lotId);
  const leader = leadingOn(next, lotId);
  const { amountCents: cents, bidTotal, lotIds } = event;
  return {
    kind: 'bid',
    decimals: next.decimals,
    bidId: event.bidId,
    lotId,
    auctionId: next.auctionId,
    outcome: event.outcome,
    listedCents: cents,
    ceilingCents: cents,
    channel: event.channel,
    sequence: event.sequence,
    placedAtUs: context.nowUs,
    paddle: event.bidder.paddle,
    lot: {
      currentCents: face.currentCents,
      minimumNextCents: minimumNextCents(face, context.record),
      bidCount: face.bidCount,
      reserveMet: leader === null ? reachesWhole(next) : wouldBuy(next, leader),
      isHighBidder: leader?.key === event.bidder.key,
      endsAtUs: event.endsAtUs,
      extended: event.extendedToUs !== null,
      status: face.status,
    },
    fields: {
      lot_ids: lotIds,
      ...(bidTotal === null ? null : { total: bidTotal }),
      leading: shownLeading(next),
    },
    lotFields: { leading_set: leader === null ? null : shownBid(next, leader) },
    hash: '',
    previousHash: '',
  };
}
