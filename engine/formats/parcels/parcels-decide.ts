/** Decides one command on a sale of tracts: pure, with the journal's clock handed in. */
import type { AuctionRecord } from '../../auction/record.ts';
import type { AcceptedBid } from '../../lot/answers.ts';
import { catchUp as catchUpWith } from '../../lot/closing.ts';
import type { BidCommand, Command } from '../../lot/commands.ts';
import { decideWith, type Handlers, type OwnCommand } from '../../lot/deciding.ts';
import type { Context, Decision, Needed, Verdict } from '../../lot/decision.ts';
import type { CommonEvent, NewEvent } from '../../lot/events.ts';
import { bidTotals } from '../../lot/unit-totals.ts';
import { highestOn, minimumCents } from './lead-price.ts';
import { decideEither, setOfBid } from './parcels-bid.ts';
import { closedAll, reachesWhole, wouldBuy } from './parcels-close.ts';
import type { ParcelsBidPlaced, ParcelsEvent } from './parcels-events.ts';
import { evolve } from './parcels-evolve.ts';
import { faceOf } from './parcels-faces.ts';
import { decideLift, settle } from './parcels-held.ts';
import {
  decideLotAmendment,
  decideLotWithdrawal,
  decideSale,
  decideTerms,
  decideUndo,
  decideVoid,
} from './parcels-staff.ts';
import { leadingOn, type ParcelsState } from './parcels-state.ts';
import { minimumNextCents, shownBid, shownLeading } from './parcels-view.ts';

const HANDLERS: Handlers<ParcelsState, ParcelsEvent, ParcelsBidPlaced> = {
  catchUp,
  evolve,
  bid: decideEither,
  other: decideOther,
  close: (state) => closedAll(state, 'time'),
  settle,
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
    case 'undo_call':
      return decideUndo(state, command, context, journalSequence);
    case 'record_sale':
      return command.choice === undefined
        ? decideSale(state, command, context)
        : { refuse: 'choice_unknown' };
    case 'choose_lots':
      return { refuse: 'choice_over' };
    case 'lift_hammer':
      return decideLift(state, context);
    // Nobody else has bid on what a set was sold for.
    case 'resell':
      return { refuse: 'invalid_transition' };
    // Every bid stands until the end.
    case 'withdraw_bid':
      return { refuse: 'withdrawal_not_allowed' };
  }
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
  const { currentCents } = face;
  const least = minimumNextCents(face, context.record);
  const { lotFields: totals } = bidTotals(face, {
    listedCents: cents,
    currentCents,
    minimumNextCents: least,
  });
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
      currentCents,
      minimumNextCents: least,
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
    lotFields: { ...totals, leading_set: leader === null ? null : shownBid(next, leader) },
    hash: '',
    previousHash: '',
  };
}
