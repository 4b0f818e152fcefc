/** Whether the journal of a sale of tracts follows rule 23: each choice is worked out from all bids once more. */
import type { Judge } from '../../lot/format.ts';
import { choiceOf, highestOn, sumOf } from './lead-price.ts';
import { closedAll } from './parcels-close.ts';
import type {
  LeadingBid,
  ParcelsBidPlaced,
  ParcelsEvent,
  ParcelsLotClosed,
  ParcelsLotWithdrawn,
} from './parcels-events.ts';
import { evolve } from './parcels-evolve.ts';
import { checkHeld } from './parcels-held.ts';
import { isOpenLot, lotsIn, type ParcelsState, setOf } from './parcels-state.ts';

/** Calls `judge.fail` where the rules do not make of `before` what the event says. */
export function check(before: ParcelsState, event: ParcelsEvent, judge: Judge<ParcelsEvent>): void {
  switch (event.type) {
    case 'bid_placed':
      checkBid(before, event, judge);
      break;
    case 'bid_voided':
      if (!before.bids.some(({ bidId }) => bidId === event.bidId))
        judge.fail('voids a bid that does not stand');
      checkChoice(before, event, judge);
      break;
    case 'lot_withdrawn':
      if (event.lotId !== undefined) checkChoice(before, event, judge);
      break;
    case 'hammer_fell':
      for (const close of event.closes) checkClose(before, { ...close, sequence: event.sequence }, judge);
      if (event.closes.length !== before.lots.filter(isOpenLot).length)
        judge.fail('the hammer falls on other lots than those that are open');
      break;
    case 'lot_reopened':
      checkHeld(before, event, judge);
      break;
    case 'lot_closed':
      if (before.held === null) checkClose(before, event, judge);
      else checkHeld(before, event, judge);
      break;
    default:
  }
}

/** Whether what an event says of the choice follows from the bids that stand after it. */
function checkChoice(
  before: ParcelsState,
  event: ParcelsEvent & Pick<ParcelsLotWithdrawn, 'leading' | 'totalCents'>,
  { expectSame }: Judge<ParcelsEvent>,
): void {
  const { lots, bids } = evolve(before, event);
  const choice = choiceOf(lots, bids);
  const wanted = { leading: choice.map(({ bidId }) => bidId), totalCents: sumOf(choice) };
  const { leading = [], totalCents } = event;
  const found = { leading: leading.map(({ bid_id }: LeadingBid) => bid_id), totalCents };
  expectSame('what leads', wanted, found);
}

function checkBid(before: ParcelsState, event: ParcelsBidPlaced, judge: Judge<ParcelsEvent>): void {
  const { recordedAtUs, record, fail } = judge;
  const { lotIds, amountCents, bidId } = event;
  const set = setOf(before, lotIds);
  if (before.status !== 'active') fail(`a bid on a sale that is ${before.status}`);
  if (record.type === 'timed' && !before.paused && recordedAtUs >= before.endsAtUs)
    fail('a bid at or after the end');
  if (set === null || set === 0) {
    fail('a bid on no lots, or on others');
    return;
  }
  if (!lotsIn(before, set).every(isOpenLot)) fail('a bid on a lot that is not for sale');
  if (amountCents <= (highestOn(before, set)?.cents ?? 0)) fail('a bid that is no higher than another');
  const { combinationsFromUs: fromUs } = before;
  if (lotIds.length > 1 && fromUs !== null && recordedAtUs < fromUs) fail('a bid on a set before its time');
  checkChoice(before, event, judge);
  const leads = event.leading.some(({ bid_id }) => bid_id === bidId);
  if (leads !== (event.outcome !== 'standing')) fail(`a bid that leads or not is ${event.outcome}`);
  if (!leads && event.extendedToUs !== null) fail('a bid that changes nothing extends the sale');
}

function checkClose(before: ParcelsState, event: ParcelsLotClosed, judge: Judge<ParcelsEvent>): void {
  const { reason, saleFacts, lotId, sequence: _, floor: __, flags: ___, ...found } = event;
  if (reason === 'time' && judge.recordedAtUs < before.endsAtUs) judge.fail('was closed before its end');
  const isSold = saleFacts?.startsWith('sold') === true;
  const closed = closedAll(before, reason, reason === 'floor' ? () => isSold : undefined);
  const own = closed.find((one) => one.lotId === lotId);
  if (own === undefined) {
    judge.fail('a lot is closed that is not open');
    return;
  }
  const { floor: _floor, flags: _flags, ...wanted } = own;
  judge.expectSame('close', { ...wanted, saleFacts: null }, { ...found, lotId, reason, saleFacts: null });
}
