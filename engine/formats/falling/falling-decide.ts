/** Decides one command on a lot on a falling clock: pure, with the journal's clock handed in. */
import type { AcceptedBid, RefusalCode } from '../../lot/answers.ts';
import { limitUseOf } from '../../lot/bid-limits.ts';
import { catchUpBy, isOver } from '../../lot/closing.ts';
import type { BidCommand, ChangeTerms, Command, PlaceBid, VoidBid } from '../../lot/commands.ts';
import { decideChange } from '../../lot/decide-terms.ts';
import { decideWith, type Handlers, type OwnCommand } from '../../lot/deciding.ts';
import type { BidDecision, Context, Decision, LimitUse, Needed, Verdict } from '../../lot/decision.ts';
import { eligibilityRefusal, isApproved } from '../../lot/eligibility.ts';
import type { BidVoided, LotClosed } from '../../lot/events.ts';
import { isOpen } from '../../lot/state.ts';
import { bidTotals } from '../../lot/unit-totals.ts';
import { unusedField } from '../../lot/unused-fields.ts';
import { formatCents, MAX_AMOUNT_CENTS } from '../../money.ts';
import type { FallingBidPlaced, FallingEvent } from './falling-events.ts';
import { evolve } from './falling-evolve.ts';
import { type FallingState, priceAt, quantityLeft, shownMoment, takenCents } from './falling-state.ts';
import { TIMETABLE } from './falling-timetable.ts';
import { shownNow } from './falling-view.ts';

type Decided = BidDecision<FallingEvent, FallingBidPlaced>;

const HANDLERS: Handlers<FallingState, FallingEvent, FallingBidPlaced> = {
  catchUp: (state, record, nowUs) => catchUpBy(TIMETABLE, state, record, nowUs),
  evolve,
  bid: decideEither,
  other: decideOther,
  close: (state) => [closed(state, 'time')],
  accepted,
  minimumNextCents,
};

/** Decides a command. Returns a need instead where something must be fetched before it can be decided. */
export function decide(
  state: FallingState,
  command: Command,
  context: Context,
): Decision<FallingState, FallingEvent> | Needed {
  return decideWith(HANDLERS, state, command, context);
}

/** The price now. */
export function minimumNextCents(state: FallingState, _record: unknown, nowUs: number): number {
  return priceAt(state, shownMoment(state, nowUs));
}

function decideEither(state: FallingState, command: BidCommand, context: Context): Decided {
  const refuse = (code: RefusalCode, limitUse: LimitUse | null = null): Decided => ({
    refuse: code,
    fields: shownNow(state, context.nowUs),
    limitUse,
  });
  if (command.type === 'place_bid') return decideBid(state, command, context, refuse);
  const early = eligibilityRefusal(state, command.bidder, { ...command, channel: 'online' }, context);
  return refuse(early ?? 'buy_now_unavailable');
}

/** Rule 21: a bid at or above the price buys at the price. */
function decideBid(
  state: FallingState,
  command: PlaceBid,
  context: Context,
  refuse: (code: RefusalCode, limitUse?: LimitUse | null) => Decided,
): Decided {
  const { bidder, nowUs } = context;
  const { bidder: who, straightCents, ceilingCents, take = 1 } = command;
  if (ceilingCents !== null || straightCents === null)
    return { refuse: 'field_unused', fields: { field: 'max_amount' }, limitUse: null };
  const { lotIds, standing } = command;
  const field = unusedField({ lotIds, standing });
  if (field !== null) return { refuse: 'field_unused', fields: { field }, limitUse: null };
  const early = eligibilityRefusal(state, who, command, context);
  if (early !== null) return refuse(early);
  const cents = priceAt(state, nowUs);
  context.explain?.({ rule: 21, priceCents: cents, nowUs, startsAtUs: state.startsAtUs, ...clockOf(state) });
  if (straightCents < cents) return refuse('bid_too_low');
  const left = quantityLeft(state);
  if (take > left) return refuse('not_enough_left');
  const totalCents = takenCents(state, { cents, take });
  if (totalCents > MAX_AMOUNT_CENTS) return refuse('bid_limit_exceeded');
  const limitUse = limitUseOf(who, totalCents, context);
  if (limitUse?.refused) return refuse('bid_limit_exceeded', limitUse);
  if (!isApproved(bidder)) return { need: 'registration' };
  const { key, userId, alias, paddle } = bidder;
  const event: FallingBidPlaced = {
    type: 'bid_placed',
    sequence: state.sequence + 1,
    bidId: command.bidId,
    salt: command.salt,
    bidder: { key, userId, alias, paddle },
    channel: command.channel,
    outcome: 'won',
    amountCents: cents,
    take,
    leftCount: left - take,
    currentCents: cents,
    bidCount: state.bidCount + 1,
    minimumNextCents: cents,
    reserveMet: true,
    endsAtUs: state.endsAtUs,
    extendedToUs: null,
  };
  if (take < left) return { event, limitUse };
  return { event, after: [closed(evolve(state, event), 'taken')], limitUse };
}

function clockOf({ startingBidCents, stepCents, stepSeconds, floorCents }: FallingState) {
  return { startingBidCents, stepCents, stepSeconds, floorCents };
}

/** Sold where anything was taken; the winner is who took all of it. */
export function closed(state: FallingState, reason: 'time' | 'taken'): Omit<LotClosed, 'sequence'> {
  const common = { type: 'lot_closed', reason, flags: [], floor: null, saleFacts: null } as const;
  const [first, ...others] = state.taken;
  if (first === undefined) return { ...common, status: 'unsold', hammerCents: null, winner: null };
  const { key, userId, alias, paddle } = first;
  return {
    ...common,
    status: 'sold',
    hammerCents: state.taken.reduce((sum, one) => sum + takenCents(state, one), 0),
    winner: others.every((other) => other.key === key) ? { key, userId, alias, paddle } : null,
  };
}

function decideOther(
  state: FallingState,
  command: OwnCommand,
  context: Context,
  journalSequence: number,
): Verdict<FallingEvent> {
  switch (command.type) {
    case 'change_terms':
      return decideTerms(state, command);
    case 'void_bid':
      return decideVoid(state, command, context, journalSequence);
    case 'choose_lots':
      return { refuse: 'choice_over' };
    // There is no floor, and nobody who was outbid.
    case 'record_sale':
    case 'lift_hammer':
    case 'resell':
    case 'undo_call':
      return { refuse: 'invalid_transition' };
    // What is bought is bought.
    case 'withdraw_bid':
      return { refuse: 'withdrawal_not_allowed' };
  }
}

/** How the clock falls is in the journal's first entry, and stays. */
function decideTerms(state: FallingState, command: ChangeTerms): Verdict<FallingEvent> {
  const { startingBidCents = state.startingBidCents, reserveCents = null, buyNowCents = null } = command;
  const movesClock =
    startingBidCents !== state.startingBidCents || reserveCents !== null || buyNowCents !== null;
  if (movesClock) return { refuse: 'lot_locked' };
  return decideChange(state, command, () => state.currentCents);
}

/** Rule 15: what the bid took is there again. */
function decideVoid(
  state: FallingState,
  { bidId, reason, history }: VoidBid,
  { record, nowUs }: Context,
  journalSequence: number,
): Verdict<FallingEvent> {
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  if (history.events.some((event) => event.type === 'bid_voided' && event.bidId === bidId))
    return { refuse: 'already_voided' };
  if (!state.taken.some((one) => one.bidId === bidId)) return { refuse: 'bid_unknown' };
  return { events: [voided(state, bidId, reason)] };
}

/** What a void comes to. */
export function voided(state: FallingState, bidId: string, reason: string): Omit<BidVoided, 'sequence'> {
  const left = state.taken.filter((one) => one.bidId !== bidId);
  const currentCents = left.at(-1)?.cents ?? 0;
  return { type: 'bid_voided', bidId, reason, currentCents, bidCount: left.length, changedRows: [] };
}

function accepted(next: FallingState, event: FallingBidPlaced, context: Context): AcceptedBid {
  const { amountCents: cents, take } = event;
  const { decimals } = next;
  return {
    kind: 'bid',
    decimals,
    bidId: event.bidId,
    lotId: next.lotId,
    auctionId: next.auctionId,
    outcome: event.outcome,
    listedCents: cents,
    ceilingCents: cents,
    channel: event.channel,
    sequence: event.sequence,
    placedAtUs: context.nowUs,
    paddle: event.bidder.paddle,
    lot: {
      currentCents: event.currentCents,
      minimumNextCents: event.minimumNextCents,
      bidCount: event.bidCount,
      reserveMet: true,
      isHighBidder: true,
      endsAtUs: event.endsAtUs,
      extended: false,
      status: quantityLeft(next) === 0 ? 'sold' : next.status,
    },
    fields: { take, total: formatCents(takenCents(next, { cents, take }), decimals) },
    lotFields: {
      ...shownNow(next, context.nowUs),
      ...bidTotals(next, { ...event, listedCents: cents }).lotFields,
    },
    hash: '',
    previousHash: '',
  };
}
