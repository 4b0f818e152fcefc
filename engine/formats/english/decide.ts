/**
 * Decides one command on a lot with rising bids: pure, with the journal's clock handed in. Rules are numbered as in
 * docs/rules.md.
 */
import type { AcceptedBid } from '../../lot/answers.ts';
import type { BidCommand, Command, RecordSale } from '../../lot/commands.ts';
import { decideChange } from '../../lot/decide-terms.ts';
import { decideWith, type Handlers, type OwnCommand } from '../../lot/deciding.ts';
import type { BidDecision, Context, Decision, Needed, Verdict } from '../../lot/decision.ts';
import type { LotTerms } from '../../lot/state.ts';
import { bidTotals } from '../../lot/unit-totals.ts';
import { catchUp } from './choice-group.ts';
import { decideBid, decideBuyNow } from './decide-bid.ts';
import {
  bidInGroup,
  decideChoose,
  liftFromGroup,
  pendingOf,
  saleInGroup,
  withdrawFromGroup,
} from './decide-choice.ts';
import { decideResale } from './decide-sale.ts';
import { decideUndo } from './decide-undo.ts';
import { decideVoid } from './decide-void.ts';
import { closedByTime } from './ending.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import { type EnglishState, minimumNextCents } from './english-state.ts';
import { evolve } from './evolve.ts';
import { decideHammer, decideLift, settle } from './held-hammer.ts';
import { liftToReserve } from './lead.ts';

const HANDLERS: Handlers<EnglishState, EnglishEvent, EnglishBidPlaced> = {
  catchUp,
  evolve,
  bid: decideEither,
  other: decideOther,
  close: (state) => [closedByTime(state)],
  withdraw: withdrawFromGroup,
  settle,
  accepted: acceptedBid,
  minimumNextCents,
};

/** Decides a command. Returns a need instead where something must be fetched before it can be decided. */
export function decide(
  state: EnglishState,
  command: Command,
  context: Context,
): Decision<EnglishState, EnglishEvent> | Needed {
  return decideWith(HANDLERS, state, command, context);
}

function decideEither(
  state: EnglishState,
  command: BidCommand,
  context: Context,
): BidDecision<EnglishEvent, EnglishBidPlaced> {
  if (command.type === 'buy_now') return decideBuyNow(state, command, context);
  return state.choice === null ? decideBid(state, command, context) : bidInGroup(state, command, context);
}

function decideOther(
  state: EnglishState,
  command: OwnCommand,
  context: Context,
  journalSequence: number,
): Verdict<EnglishEvent> {
  switch (command.type) {
    case 'record_sale':
      return state.choice === null
        ? saleAlone(state, command, context)
        : saleInGroup(state, command, context);
    case 'choose_lots':
      return decideChoose(state, command, context);
    case 'lift_hammer':
      return pendingOf(state) === null ? decideLift(state, context) : liftFromGroup(state, context);
    case 'resell':
      return decideResale(state, command, context);
    case 'change_terms':
      return decideChange(state, command, (terms) => priceUnder(state, terms), withdrawFromGroup);
    case 'void_bid':
      return pendingOf(state) === null
        ? decideVoid(state, command, context, journalSequence)
        : { refuse: 'lot_closed' };
    case 'undo_call':
      return pendingOf(state) === null
        ? decideUndo(state, command, context, journalSequence)
        : { refuse: 'lot_closed' };
    // Every bid stands for good.
    case 'withdraw_bid':
      return { refuse: 'withdrawal_not_allowed' };
  }
}

/** Nothing is chosen of a lot that is offered alone. */
function saleAlone(state: EnglishState, command: RecordSale, context: Context): Verdict<EnglishEvent> {
  return command.choice === undefined ? decideHammer(state, command, context) : { refuse: 'choice_unknown' };
}

/** A lower reserve that the leader covers is met at once. */
function priceUnder({ leader, currentCents }: EnglishState, { reserveCents }: LotTerms): number {
  return leader === null ? currentCents : liftToReserve(currentCents, leader.ceilingCents, reserveCents);
}

function acceptedBid(next: EnglishState, event: EnglishBidPlaced, context: Context): AcceptedBid {
  const isHighBidder = event.leader.key === event.bidder.key;
  return {
    kind: 'bid',
    decimals: next.decimals,
    bidId: event.bidId,
    lotId: next.lotId,
    auctionId: next.auctionId,
    outcome: event.outcome,
    listedCents: event.listedCents,
    ceilingCents: isHighBidder ? event.leader.ceilingCents : event.ceilingCents,
    channel: event.channel,
    sequence: event.sequence,
    placedAtUs: context.nowUs,
    paddle: event.bidder.paddle,
    lot: {
      currentCents: event.currentCents,
      minimumNextCents: event.minimumNextCents,
      bidCount: event.bidCount,
      reserveMet: event.reserveMet,
      isHighBidder,
      endsAtUs: event.endsAtUs,
      extended: event.extendedToUs !== null,
      status: next.status,
    },
    ...(next.units === null ? null : bidTotals(next, event)),
    hash: '',
    previousHash: '',
  };
}
