/** Decides one command on a tender: pure, with the journal's clock and the seals handed in. */
import type { AcceptedBid } from '../../lot/answers.ts';
import { catchUp, isOver } from '../../lot/closing.ts';
import type { BidCommand, Command, Resell, VoidBid, Withdraw } from '../../lot/commands.ts';
import { decideChange, decideWithdraw } from '../../lot/decide-terms.ts';
import { decideWith, type Handlers, type OwnCommand } from '../../lot/deciding.ts';
import type { Context, Decision, Needed, Verdict } from '../../lot/decision.ts';
import type { CommonEvent, NewEvent } from '../../lot/events.ts';
import { NO_SEALS } from '../../lot/seals.ts';
import { isOpen, mayResell } from '../../lot/state.ts';
import { totalText } from '../../lot/unit-totals.ts';
import { totalOf } from '../../lot/units.ts';
import { LAST_US } from '../../time.ts';
import { closed, finalistsOf, openAll } from './opening-bids.ts';
import { decideEither, decideWithdrawal } from './tender-bid.ts';
import type { BidSealed, TenderEvent } from './tender-events.ts';
import { evolve } from './tender-evolve.ts';
import type { OpenedBid, TenderState } from './tender-state.ts';

const HANDLERS: Handlers<TenderState, TenderEvent, BidSealed> = {
  catchUp,
  evolve,
  bid: decideEither,
  other: decideOther,
  close: decideEnd,
  withdraw: decideLotWithdrawal,
  accepted,
  minimumNextCents: ({ startingBidCents }) => startingBidCents,
};

/** Decides a command. Returns a need instead where something must be fetched before it can be decided. */
export function decide(
  state: TenderState,
  command: Command,
  context: Context,
): Decision<TenderState, TenderEvent> | Needed {
  const decided = decideWith(HANDLERS, state, command, context);
  if ('need' in decided || decided.answer.kind !== 'refused' || state.isOpened) return decided;
  const { answer } = decided;
  return { ...decided, answer: { ...answer, fields: { current_bid: null, ...answer.fields } } };
}

/** Whether there is a bid shows nowhere: from its start on every lot is taken out by an admin only. */
function decideLotWithdrawal(state: TenderState, command: Withdraw): Verdict<CommonEvent> {
  if (isOpen(state) && state.frozen && !command.byAdmin) return { refuse: 'admin_required' };
  return decideWithdraw(state, command);
}

function decideOther(
  state: TenderState,
  command: OwnCommand,
  context: Context,
  journalSequence: number,
): Verdict<TenderEvent> {
  switch (command.type) {
    case 'change_terms':
      return decideChange(state, command, () => state.currentCents, decideLotWithdrawal);
    case 'void_bid':
      return decideVoid(state, command, context, journalSequence);
    case 'withdraw_bid':
      return decideWithdrawal(state, command, context);
    case 'resell':
      return decideResale(state, command, context);
    case 'choose_lots':
      return { refuse: 'choice_over' };
    // There is no floor.
    case 'record_sale':
    case 'lift_hammer':
    case 'undo_call':
      return { refuse: 'invalid_transition' };
  }
}

/** A bid is taken out unseen; what it replaced stays sealed. */
function decideVoid(
  state: TenderState,
  { bidId, reason, history }: VoidBid,
  { record, nowUs }: Context,
  journalSequence: number,
): Verdict<TenderEvent> {
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  const isVoid = history.events.some((event) => event.type === 'bid_unsealed' && event.bidId === bidId);
  if (isVoid) return { refuse: 'already_voided' };
  if (!state.bids.some((bid) => bid.bidId === bidId)) return { refuse: 'bid_unknown' };
  return { events: [{ type: 'bid_unsealed', bidId, by: 'staff', reason }] };
}

/** The end is late by more than this only where nobody could open the bids. */
const LATE_US = 60_000_000;

/** The first end begins the final round, where there is one; the last opens the bids. Without the key it stays open. */
function decideEnd(state: TenderState, { nowUs, seals = NO_SEALS }: Context): NewEvent<TenderEvent>[] {
  const opened = openAll(state, seals);
  if (opened === null) return [];
  if (state.finalRound !== null && state.round === 1) {
    const keys = finalistsOf(opened, state.finalRound);
    const finalists = keys.length === 0 ? '' : seals.seal(state.lotKey, JSON.stringify(keys));
    if (finalists === null) return [];
    const fromUs = nowUs > state.endsAtUs + LATE_US ? nowUs : state.endsAtUs;
    const endsAtUs = Math.min(LAST_US, fromUs + state.finalSeconds * 1_000_000);
    return [{ type: 'final_round_opened', endsAtUs, finalists }];
  }
  return [openedBids(opened), closed(after(state, opened))];
}

function openedBids(bids: readonly OpenedBid[]): NewEvent<TenderEvent> & { readonly type: 'bids_opened' } {
  return { type: 'bids_opened', bids };
}

function after(state: TenderState, bids: readonly OpenedBid[]): TenderState {
  return evolve(state, { type: 'bids_opened', bids, sequence: state.sequence });
}

/** A second chance that was taken: the next by rank has the lot. Saying it again changes nothing. */
function decideResale(state: TenderState, command: Resell, { bidder }: Context): Verdict<TenderEvent> {
  const { bidId, salt, hammerCents: cents, buyer } = command;
  if (state.top?.bidId === bidId) return { events: [] };
  if (!mayResell(state)) return { refuse: 'invalid_transition' };
  if (bidder === null) return { need: 'registration' };
  const { alias, paddle } = bidder;
  const named = { key: buyer.key, userId: buyer.userId, alias, paddle: paddle ?? '' };
  return {
    events: [
      { type: 'lot_reopened', reason: 'second_chance' },
      {
        type: 'bid_placed',
        ...{ bidId, salt, bidder: named, channel: 'online', outcome: 'won' },
        ...{ amountCents: cents, currentCents: cents, minimumNextCents: state.startingBidCents },
        bidCount: state.bidCount + 1,
        reserveMet: state.reserveCents === null || cents >= state.reserveCents,
        endsAtUs: state.endsAtUs,
        extendedToUs: null,
      },
      {
        type: 'lot_closed',
        reason: 'second_chance',
        status: 'sold',
        hammerCents: totalOf(state.units, cents),
        winner: { ...named, paddle },
        flags: [],
        floor: null,
        saleFacts: state.saleFacts,
      },
    ],
  };
}

/** Of the lot it says what everybody knows, and of the bid what its bidder has sent. */
function accepted(next: TenderState, event: BidSealed, { nowUs }: Context, command: BidCommand): AcceptedBid {
  const { decimals, endsAtUs, startingBidCents: minimumNextCents, status } = next;
  const amountCents = (command.type === 'place_bid' ? command.straightCents : null) ?? 0;
  const nothing = { currentCents: 0, bidCount: 0, reserveMet: false, isHighBidder: false, extended: false };
  return {
    kind: 'bid',
    decimals,
    bidId: event.bidId,
    lotId: next.lotId,
    auctionId: next.auctionId,
    outcome: 'sealed',
    listedCents: amountCents,
    ceilingCents: amountCents,
    channel: event.channel,
    sequence: event.sequence,
    placedAtUs: nowUs,
    paddle: event.bidder.paddle,
    lot: { ...nothing, minimumNextCents, endsAtUs, status },
    ...(next.units === null ? null : totals(next, amountCents)),
    hash: '',
    previousHash: '',
  };
}

/** By the unit: what the bid comes to, and the least that is taken; nobody is told of others. */
function totals({ units, decimals, startingBidCents }: TenderState, amountCents: number) {
  const least = totalText(units, startingBidCents, decimals);
  return {
    fields: { total: totalText(units, amountCents, decimals) },
    ...(least === null ? null : { lotFields: { current_total: null, minimum_next_total: least } }),
  };
}
