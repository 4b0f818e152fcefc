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
import { catchUp } from './close-group.ts';
import { decideBid, decideBuyNow } from './decide-bid.ts';
import { decideResale, decideSale } from './decide-sale.ts';
import { decideUndo } from './decide-undo.ts';
import { decideVoid } from './decide-void.ts';
import { closedByTime } from './ending.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import { type EnglishState, minimumNextCents } from './english-state.ts';
import { evolve } from './evolve.ts';
import { decideLift, held, settle } from './held-hammer.ts';
import { liftToReserve } from './lead.ts';

const HANDLERS: Handlers<EnglishState, EnglishEvent, EnglishBidPlaced> = {
  catchUp,
  evolve,
  bid: decideEither,
  other: decideOther,
  close: (state) => [closedByTime(state)],
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
  return command.type === 'place_bid'
    ? decideBid(state, command, context)
    : decideBuyNow(state, command, context);
}

function decideOther(
  state: EnglishState,
  command: OwnCommand,
  context: Context,
  journalSequence: number,
): Verdict<EnglishEvent> {
  switch (command.type) {
    case 'record_sale':
      return decideHammer(state, command, context);
    case 'lift_hammer':
      return decideLift(state, context);
    case 'resell':
      return decideResale(state, command, context);
    case 'change_terms':
      return decideChange(state, command, (terms) => priceUnder(state, terms));
    case 'void_bid':
      return decideVoid(state, command, context, journalSequence);
    case 'undo_call':
      return decideUndo(state, command, context, journalSequence);
    // Every bid stands for good.
    case 'withdraw_bid':
      return { refuse: 'withdrawal_not_allowed' };
  }
}

function decideHammer(state: EnglishState, command: RecordSale, context: Context): Verdict<EnglishEvent> {
  const verdict = decideSale(state, command, context);
  return command.heldUs === undefined ? verdict : held(verdict, context.nowUs + command.heldUs);
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
