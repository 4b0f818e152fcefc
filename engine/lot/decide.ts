/**
 * Decides one command on one lot: pure, with the journal's clock handed in. Returns the events that the command
 * causes, the state after them and the answer; a refusal causes no events. Rules are numbered as in docs/rules.md.
 */
import type { AuctionRecord } from '../auction/record.ts';
import type { AcceptedBid, Done, Need, RefusalCode } from './answers.ts';
import { refused } from './answers.ts';
import { catchUp, closedByPurchase, closedByTime, isOver } from './closing.ts';
import type { Command } from './commands.ts';
import { type BidDecision, decideBid, decideBuyNow } from './decide-bid.ts';
import { decideResale, decideSale } from './decide-sale.ts';
import { decideChange, decideVoid, decideWithdraw } from './decide-staff.ts';
import type { Context, Decision, Verdict } from './decision.ts';
import type { BidPlaced, LotEvent, NewEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { isOpen, type LotState } from './state.ts';

/** The lot once it has taken over what its auction has changed and what the clock has brought about. */
export function caughtUp(state: LotState, record: AuctionRecord, nowUs: number): LotState {
  return foldNew(state, catchUp(state, record, nowUs));
}

function foldNew(state: LotState, events: readonly NewEvent[]): LotState {
  return events.length === 0 ? state : events.reduce(withNext, { events: [], state }).state;
}

/** Decides a command. Returns a need instead where something must be fetched before it can be decided. */
export function decide(
  state: LotState,
  command: Command,
  context: Context,
): Decision | { readonly need: Need } {
  const before = catchUp(state, context.record, context.nowUs);
  const present = foldNew(state, before);
  if (command.type === 'place_bid' || command.type === 'buy_now') {
    const decided =
      command.type === 'place_bid'
        ? decideBid(present, command, context)
        : decideBuyNow(present, command, context);
    return bidDecision(state, present, before, decided, context);
  }
  const verdict = decideOther(present, command, context, state.sequence);
  if ('need' in verdict) return verdict;
  if ('refuse' in verdict) return refusal(state, present, verdict.refuse, context);
  const { events, state: next } = [...before, ...verdict.events].reduce(withNext, { events: [], state });
  const answer: Done = {
    kind: 'done',
    changed: events.length > 0,
    sequence: next.sequence,
    status: next.status,
    flags: verdict.flags ?? [],
  };
  return { events, next, answer, limitUse: null };
}

function decideOther(
  state: LotState,
  command: Exclude<Command, { type: 'place_bid' | 'buy_now' }>,
  context: Context,
  journalSequence: number,
): Verdict {
  switch (command.type) {
    case 'advance': {
      const due = state.status === 'active' && isOpen(state) && isOver(state, context.record, context.nowUs);
      return { events: due ? [closedByTime(state)] : [] };
    }
    case 'record_sale':
      return decideSale(state, command, context);
    case 'resell':
      return decideResale(state, command, context);
    case 'withdraw':
      return decideWithdraw(state, command);
    case 'change_terms':
      return decideChange(state, command);
    case 'void_bid':
      return decideVoid(state, command, context, journalSequence);
  }
}

interface Folded {
  readonly events: readonly LotEvent[];
  readonly state: LotState;
}

function withNext(folded: Folded, event: NewEvent): Folded {
  const sequenced: LotEvent = { ...event, sequence: folded.state.sequence + 1 };
  return { events: [...folded.events, sequenced], state: evolve(folded.state, sequenced) };
}

function refusal(state: LotState, view: LotState, code: RefusalCode, context: Context): Decision {
  return { events: [], next: state, answer: refused(code, view, context.record), limitUse: null };
}

function bidDecision(
  state: LotState,
  present: LotState,
  before: readonly NewEvent[],
  decided: BidDecision,
  context: Context,
): Decision | { readonly need: Need } {
  if ('need' in decided) return decided;
  if ('refuse' in decided) {
    return { ...refusal(state, present, decided.refuse, context), limitUse: decided.limitUse };
  }
  const { event, limitUse } = decided;
  const next = evolve(present, event);
  const answer = acceptedBid(next, event, context);
  // Nearly every bid is a single event; only the first ones after a change, and purchases, bring others along.
  if (before.length === 0 && event.outcome !== 'won') return { events: [event], next, answer, limitUse };
  const after = event.outcome === 'won' ? [closedByPurchase(event)] : [];
  const folded = [...before, event, ...after].reduce(withNext, { events: [], state });
  return { events: folded.events, next: folded.state, answer, limitUse };
}

function acceptedBid(next: LotState, event: BidPlaced, context: Context): AcceptedBid {
  const isHighBidder = event.leader.key === event.bidder.key;
  return {
    kind: 'bid',
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
    hash: '',
    previousHash: '',
  };
}
