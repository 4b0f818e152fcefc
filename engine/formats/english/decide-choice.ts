/**
 * Deciding what is done on a lot that is offered with others (rule 25). Bids and sales are decided on the lot that
 * carries the bidding of the group: another one says which that is. Results but `sold` are of the lot that is named.
 */
import {
  type ChosenLot,
  carrierOf,
  DEFAULT_CHOICE_SECONDS,
  NO_CHOICE_NOTE,
} from '../../auction/choice-groups.ts';
import { type AuctionRecord, limitOf, pausedSinceUs } from '../../auction/record.ts';
import { itemAt } from '../../first-of.ts';
import type { RefusalCode } from '../../lot/answers.ts';
import type { ChooseLots, PlaceBid, RecordSale, RowName, Withdraw } from '../../lot/commands.ts';
import { decideWithdraw } from '../../lot/decide-terms.ts';
import type { BidDecision, Context, Refuse, Verdict } from '../../lot/decision.ts';
import { isVisible } from '../../lot/eligibility.ts';
import type { CommonEvent } from '../../lot/events.ts';
import { factsOf, saleRefusal } from '../../lot/floor-sales.ts';
import { isOpen } from '../../lot/state.ts';
import { isBeyondTotals, totalOf } from '../../lot/units.ts';
import { hammerOf, hasLeft, isStillOffered, laterOf, offeredWith } from './choice-group.ts';
import { chosenEvents } from './choice-sale.ts';
import { decideBid } from './decide-bid.ts';
import { buyerOf, flagsOf, leading } from './decide-sale.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import type { EnglishState, PendingChoice } from './english-state.ts';
import { decideHammer } from './held-hammer.ts';

/** A bid on any lot of a group is one on all that are offered. */
export function bidInGroup(
  state: EnglishState,
  command: PlaceBid,
  context: Context,
): BidDecision<EnglishEvent, EnglishBidPlaced> {
  const { record } = context;
  const away = decidedElsewhere(state, command.named, record);
  if (away !== null) return { ...away, limitUse: null };
  // A lot that is over knows of the calls on itself alone.
  const present = isOpen(state) ? withFloor(state, record) : state;
  return decideBid(present, command, context, groupRefusal(state, command.named, record));
}

function groupRefusal(
  state: EnglishState,
  named: number | undefined,
  record: AuctionRecord,
): RefusalCode | null {
  if (named !== undefined && !isStillOffered(state, record, named)) return 'lot_closed';
  return pendingOf(state) === null ? null : 'choice_pending';
}

/**
 * A result from the floor: `sold` sells the chosen lots to the buyer, or, where nothing is chosen, has the online
 * winner choose; anybody else gets the lot that was named. Other results are of that lot alone.
 */
export function saleInGroup(
  state: EnglishState,
  command: RecordSale,
  context: Context,
): Verdict<EnglishEvent> {
  const { record } = context;
  if (command.result !== 'sold')
    return pendingOf(state) === null
      ? decideHammer(withFloor(state, record), command, context)
      : { refuse: 'lot_already_sold' };
  const away = decidedElsewhere(state, command.named, record);
  if (away !== null) return away;
  // Until a hammer on the lot that carries the bidding is final, none falls on another.
  if (!isOpen(state) && command.named !== undefined) return { refuse: 'lot_already_sold' };
  if (!isOpen(state)) return saleOfOne(state, command, context);
  return saleOfGroup(withFloor(state, record), command, context);
}

/**
 * The lot is over, and has left its group. While its auction runs, the floor may sell it alone, like every lot
 * that has passed or had no bids (rule 14); `decideSale` refuses the others.
 */
function saleOfOne(state: EnglishState, command: RecordSale, context: Context): Verdict<EnglishEvent> {
  const { choice = [], ...alone } = command;
  if (factsOf(command) === state.saleFacts) return { refuse: 'floor_duplicate' };
  if (choice.some((number) => number !== state.lotNumber)) return { refuse: 'lot_already_sold' };
  return decideHammer(state, alone, context);
}

function saleOfGroup(state: EnglishState, command: RecordSale, context: Context): Verdict<EnglishEvent> {
  const { record, bidder } = context;
  const { hammerCents, choice } = command;
  const pending = pendingOf(state);
  const facts = factsIn(state, command);
  if (isRepeated(state, facts, record)) return { refuse: 'floor_duplicate' };
  const refused = saleRefusal(state, command, record);
  if (refused !== null) return { refuse: refused };
  if (hammerCents === null || isBeyondTotals(state.units, hammerCents))
    return { refuse: 'bid_limit_exceeded' };
  const buyer = buyerOf(command, bidder ?? leading(state, command));
  if (buyer === null) return { need: 'registration' };
  if (pending !== null && (choice === undefined || !isOfPending(pending, buyer.key, hammerCents)))
    return { refuse: 'lot_already_sold' };
  const sale = saleTo(state, command, buyer, { hammerCents, saleFacts: facts });
  return chooseOrMake(state, command, sale, context);
}

/** Online is the sale to a leader who has bid from here, at the price that they have bid. */
function saleTo(
  state: EnglishState,
  command: RecordSale,
  buyer: NonNullable<ReturnType<typeof buyerOf>>,
  { hammerCents, saleFacts }: { readonly hammerCents: number; readonly saleFacts: string },
) {
  const leads = state.leader?.key === buyer.key && hammerCents === state.currentCents;
  const isOnline = leads && buyer.userId !== null && state.choice?.online === true;
  return {
    hammerCents,
    winner: { ...buyer, paddle: command.winner?.paddle ?? buyer.paddle },
    channel: isOnline ? ('online' as const) : ('floor' as const),
    saleFacts,
    flags: flagsOf(state, command, hammerCents).filter((flag) => flag !== 'reserve_not_met'),
    floor: command.floor,
  };
}

/** Lets an online winner choose, keeps what the clerk may still take back, or makes the sale. */
function chooseOrMake(
  state: EnglishState,
  command: RecordSale,
  sale: ReturnType<typeof saleTo>,
  { record, nowUs }: Context,
): Verdict<EnglishEvent> {
  const { choice, heldUs, bidId, salt } = command;
  const { flags } = sale;
  const opened = { type: 'choice_opened', ...sale, row: { bidId, salt }, openedAtUs: nowUs } as const;
  const liftUntilUs = heldUs === undefined ? undefined : nowUs + heldUs;
  const lifted = liftUntilUs === undefined ? null : { liftUntilUs };
  if (choice === undefined && sale.channel === 'online' && offeredLots(state, record).length > 1) {
    const untilUs = nowUs + (record.choiceSeconds ?? DEFAULT_CHOICE_SECONDS) * 1_000_000;
    return { flags, events: [{ ...opened, untilUs, ...lifted }] };
  }
  const lotIds = choice === undefined ? [command.named ?? state.lotId] : lotsOf(state, choice, record);
  const rows = choice === undefined ? [{ bidId, salt }] : (command.rows ?? []);
  const lots = chosenLots(state, lotIds, rows, record);
  if (typeof lots === 'string') return { refuse: lots };
  if (liftUntilUs !== undefined && pendingOf(state) === null)
    return { flags, events: [{ ...opened, untilUs: liftUntilUs, lots, ...lifted }] };
  return made(state, { ...sale, by: 'floor', lots, causedBy: state.lotId }, record);
}

/** The online winner's choice, while there is time. */
export function decideChoose(
  state: EnglishState,
  command: ChooseLots,
  context: Context,
): Verdict<EnglishEvent> {
  const { record, bidder, exposureCents } = context;
  if (!isVisible(state, record, command.bidder, bidder)) return { refuse: 'not_visible' };
  const away = decidedElsewhere(state, command.named, record);
  if (away !== null) return away;
  const pending = isOpen(state) ? pendingOf(state) : null;
  if (pending === null || pending.lots !== undefined) return { refuse: 'choice_over' };
  if (pending.winner.key !== command.bidder.key) return { refuse: 'choice_of_another' };
  if (pausedSinceUs(record) !== null) return { refuse: 'auction_paused' };
  const lots = chosenLots(state, command.lotIds, command.rows, record);
  if (typeof lots === 'string') return { refuse: 'choice_unknown' };
  const limitCents = limitOf(record, bidder);
  const { row: _row, lots: _lots, ...sale } = hammerOf(pending);
  const led = state.leader === null ? 0 : totalOf(state.units, state.leader.ceilingCents);
  const dueCents = exposureCents - led + lots.length * totalOf(state.units, sale.hammerCents);
  // The first is what was bid for.
  if (lots.length > 1 && limitCents !== null && dueCents > limitCents)
    return { refuse: 'bid_limit_exceeded' };
  return made(state, { ...sale, by: 'winner', lots, causedBy: state.lotId, floor: null }, record);
}

function made(
  state: EnglishState,
  choice: Parameters<typeof chosenEvents>[1],
  record: AuctionRecord,
): Verdict<EnglishEvent> {
  return {
    flags: choice.flags,
    events: chosenEvents(state, choice, record),
    wakes: choice.lots.flatMap(({ lotId }) => (lotId === state.lotId ? [] : [lotId])),
  };
}

/** The clerk takes the hammer back that has fallen on a group (rule 24). */
export function liftFromGroup(state: EnglishState, { nowUs }: Context): Verdict<EnglishEvent> {
  const { liftUntilUs = 0 } = pendingOf(state) ?? {};
  return nowUs < liftUntilUs
    ? { events: [{ type: 'lot_reopened', reason: 'taken_back' }] }
    : { refuse: 'undo_too_late' };
}

/** Nobody takes a lot out that the hammer has fallen on. */
export function withdrawFromGroup(state: EnglishState, command: Withdraw): Verdict<CommonEvent> {
  return pendingOf(state) === null ? decideWithdraw(state, command) : { refuse: 'choice_pending' };
}

/** The lot's winner who has yet to choose; null: there is none. */
export function pendingOf({ choice }: EnglishState): PendingChoice | null {
  return choice?.pending ?? null;
}

/** Where what is asked of this lot is decided; null: here. A lot that was sent for and is none any more says so. */
function decidedElsewhere(
  state: EnglishState,
  named: number | undefined,
  record: AuctionRecord,
): Refuse | null {
  const group = offeredWith(state, record);
  const wasSentFor = named !== undefined;
  const note = record.choiceNote ?? NO_CHOICE_NOTE;
  // With a hammer that may be taken back it belongs to its group all the same.
  const isIn = isOpen(state) || state.held !== null;
  const carrier = isIn && group !== null ? carrierOf(group, note) : null;
  const isHere = isIn ? group === null || carrier === state.lotId : !wasSentFor;
  // One that has left its group decides for itself.
  if (isHere && !(wasSentFor && hasLeft(state, record, named))) return null;
  return { refuse: 'offered_elsewhere', carrier: wasSentFor ? null : carrier };
}

/** The last sequences that count for a lot are those of its group. */
function withFloor(state: EnglishState, { choiceNote }: AuctionRecord): EnglishState {
  if (choiceNote === undefined) return state;
  return { ...state, floorSequences: laterOf(choiceNote.floor, state.floorSequences) };
}

/** The facts of a sale; where nothing is chosen, one of another lot is another sale. */
function factsIn({ lotId }: EnglishState, command: RecordSale): string {
  const { choice, named = lotId } = command;
  return choice === undefined ? `${factsOf(command)}@${named}` : factsOf(command);
}

/** Whether the sale has been said: of the group whose bidding has begun anew, it would be another one. */
function isRepeated(state: EnglishState, facts: string, { choiceNote }: AuctionRecord): boolean {
  const pending = pendingOf(state);
  if (pending !== null) return pending.saleFacts === facts;
  if (state.leader !== null) return false;
  return (state.choice?.sales.at(-1)?.saleFacts ?? choiceNote?.lastFacts) === facts;
}

function isOfPending({ winner, hammerCents }: PendingChoice, key: string, calledCents: number): boolean {
  return winner.key === key && hammerCents === calledCents;
}

/** The lots of the group that are still offered. */
function offeredLots(state: EnglishState, record: AuctionRecord): readonly number[] {
  const lotIds = offeredWith(state, record)?.lotIds ?? [state.lotId];
  return lotIds.filter((lotId) => isStillOffered(state, record, lotId));
}

function lotsOf(state: EnglishState, numbers: readonly number[], record: AuctionRecord): readonly number[] {
  const group = offeredWith(state, record);
  return numbers.map((number) => group?.lotIds[group.numbers.indexOf(number)] ?? 0);
}

/** The lots that are chosen, each with the name of its row; a code where one of them cannot be. */
function chosenLots(
  state: EnglishState,
  lotIds: readonly number[],
  rows: readonly RowName[],
  record: AuctionRecord,
): readonly ChosenLot[] | 'choice_unknown' | 'lot_already_sold' {
  const group = offeredWith(state, record);
  const numbers = new Map(group?.lotIds.map((lotId, at) => [lotId, itemAt(group.numbers, at)]));
  if (group === null) numbers.set(state.lotId, state.lotNumber);
  const chosen: ChosenLot[] = [];
  for (const [at, lotId] of lotIds.entries()) {
    const number = numbers.get(lotId);
    if (number === undefined) return 'choice_unknown';
    if (!isStillOffered(state, record, lotId)) return 'lot_already_sold';
    chosen.push({ lotId, number, ...itemAt(rows, at) });
  }
  return chosen.toSorted((one, other) => one.number - other.number);
}
