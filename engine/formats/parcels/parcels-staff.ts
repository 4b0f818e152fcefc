/** What sellers, staff and the floor do to a sale of tracts: each is an event in its journal, as a bid is. */
import { isOver, reopenedAfterVoid } from '../../lot/closing.ts';
import type { AmendLot, ChangeTerms, RecordSale, UndoCall, VoidBid, Withdraw } from '../../lot/commands.ts';
import { decideAmendment, decideChange, decideWithdraw } from '../../lot/decide-terms.ts';
import type { Context, Verdict } from '../../lot/decision.ts';
import type { NewEvent, SaleFlag } from '../../lot/events.ts';
import { factsOf, MAX_UNDOS, saleRefusal, UNDO_US } from '../../lot/floor-sales.ts';
import { isClosed, isOpen } from '../../lot/state.ts';
import { isPerUnit, type LotUnits } from '../../lot/units.ts';
import { formatCents } from '../../money.ts';
import { choiceOf, sumOf } from './lead-price.ts';
import { closedAll, wouldBuy } from './parcels-close.ts';
import type { ParcelsBidVoided, ParcelsEvent, ParcelsLotWithdrawn } from './parcels-events.ts';
import { faceOf } from './parcels-faces.ts';
import { leadingBids, type ParcelBid, type ParcelsState, setOf } from './parcels-state.ts';
import { isPricedSale, shownBid } from './parcels-view.ts';

/** The choice without some bids, as events have it. */
function withoutBids(state: ParcelsState, lots: ParcelsState['lots'], isOut: (bid: ParcelBid) => boolean) {
  const bids = state.bids.filter((bid) => !isOut(bid));
  const choice = choiceOf(lots, bids);
  const leading = choice.map((bid) => shownBid(state, bid));
  return { leading, totalCents: sumOf(choice), bidCount: bids.length };
}

/** One lot leaves the sale, and with it every bid that names it. */
export function decideLotWithdrawal(state: ParcelsState, command: Withdraw): Verdict<ParcelsEvent> {
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

export function decideLotAmendment(
  state: ParcelsState,
  command: AmendLot,
  context: Context,
): Verdict<ParcelsEvent> {
  const { lotId = state.lotId } = command;
  const verdict = decideAmendment(faceOf(state, lotId), command, context);
  if (!('events' in verdict)) return verdict;
  return { events: verdict.events.map((event) => ({ ...event, lotId })) };
}

/** Amounts are for a unit of all lots, or of none: that no single one changes. */
export function decideTerms(state: ParcelsState, command: ChangeTerms): Verdict<ParcelsEvent> {
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
export function decideVoid(
  state: ParcelsState,
  command: VoidBid | UndoCall,
  { record, nowUs }: Context,
  journalSequence: number,
): Verdict<ParcelsEvent> {
  const refused = outRefusal(state, command, { record, nowUs }, journalSequence);
  if (refused !== null) return refused;
  const event = voided(state, command);
  const reopened = event.totalCents < state.totalCents ? reopenedAfterVoid(state, record, nowUs) : null;
  return { events: [event, ...(reopened === null ? [] : [reopened])] };
}

/** What a void comes to. */
function voided(
  state: ParcelsState,
  { bidId, reason }: Pick<VoidBid, 'bidId' | 'reason'>,
): NewEvent<ParcelsBidVoided> {
  const after = withoutBids(state, state.lots, (bid) => bid.bidId === bidId);
  return { type: 'bid_voided', bidId, reason, ...after, currentCents: after.totalCents, changedRows: [] };
}

/** Why a bid cannot be taken out, or what is missing; null: it can. */
function outRefusal(
  state: ParcelsState,
  { bidId, history }: VoidBid | UndoCall,
  { record, nowUs }: Pick<Context, 'record' | 'nowUs'>,
  journalSequence: number,
): Exclude<Verdict<ParcelsEvent>, { readonly events: unknown }> | null {
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  if (state.bids.some((bid) => bid.bidId === bidId)) return null;
  // One of whose lots was withdrawn stands no more either.
  const isKnown = history.events.some((event) => event.type === 'bid_placed' && event.bidId === bidId);
  return { refuse: isKnown ? 'already_voided' : 'bid_unknown' };
}

/** Rule 18: the clerk takes the last call back. There are no ceilings that it could tell of. */
export function decideUndo(
  state: ParcelsState,
  command: UndoCall,
  context: Context,
  journalSequence: number,
): Verdict<ParcelsEvent> {
  const { bidId, history, placedAtUs } = command;
  const refused = outRefusal(state, command, context, journalSequence);
  if (refused !== null) return refused;
  if (state.bids.findLast(({ channel }) => channel === 'floor')?.bidId !== bidId)
    return { refuse: 'not_last_call' };
  if (context.nowUs - placedAtUs > UNDO_US) return { refuse: 'undo_too_late' };
  const undos = history.events.filter((event) => event.type === 'bid_voided' && event.undone === true);
  if (undos.length >= MAX_UNDOS) return { refuse: 'undo_limit' };
  return { events: [{ ...voided(state, command), undone: true }] };
}

/**
 * Rule 14: the floor ends the sale of all lots, and what leads is sold as it says, whatever the reserves are. The
 * result may be held (rule 24).
 */
export function decideSale(
  state: ParcelsState,
  command: RecordSale,
  { record, nowUs }: Context,
): Verdict<ParcelsEvent> {
  const refused = saleRefusal(state, command, record);
  if (refused !== null) return { refuse: refused };
  if (isClosed(state)) return { refuse: 'lot_already_sold' };
  const { result, floor, hammerCents, heldUs } = command;
  const isSold = result === 'sold';
  if (isSold && state.leading.length === 0) return { refuse: 'lot_without_bids' };
  // Whoever calls another sum has not seen the bid that came last.
  if (isSold && hammerCents !== null && hammerCents !== state.totalCents)
    return { refuse: 'hammer_not_total', fields: { total: formatCents(state.totalCents, state.decimals) } };
  const closed = closedAll(state, 'floor', () => isSold);
  const isBelow = isSold && leadingBids(state).some((bid) => !wouldBuy(state, bid));
  const flags: SaleFlag[] = isBelow ? ['reserve_not_met'] : [];
  const saleFacts = factsOf(command);
  const closes = closed.map((event) => ({ ...event, floor, saleFacts, flags }));
  if (heldUs === undefined) return { flags, events: closes };
  return { flags, events: [{ type: 'hammer_fell', untilUs: nowUs + heldUs, closes }] };
}
