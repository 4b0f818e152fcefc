/**
 * Why a bid on tracts leads or does not (rule 23): it came when the journal had what it had then, and leads or not by
 * what the journal has now, or had when the sale ended.
 */
import type { AuctionRecord } from '../../auction/record.ts';
import type { ExplainedBid, PastEntry } from '../../lot/format.ts';
import type { Step } from '../../lot/reasons.ts';
import { extendedEndUs } from '../../lot/soft-close.ts';
import { formatCents } from '../../money.ts';
import { choiceOf, leastReaching, leastTotal, minimumCents } from './lead-price.ts';
import type { ParcelsBidPlaced, ParcelsEvent } from './parcels-events.ts';
import { evolve, NO_LOT } from './parcels-evolve.ts';
import { lotsIn, offeredSet, type ParcelBid, type ParcelsState, setOf, unitsOf } from './parcels-state.ts';

/** The bid as it came. */
interface Placed {
  readonly event: ParcelsBidPlaced;
  readonly before: ParcelsState;
  readonly nowUs: number;
}

/** The sale's entries, oldest first, with the bid among them; null where it is not. */
export function explain(
  history: readonly PastEntry<ParcelsEvent>[],
  bidId: string,
  record: AuctionRecord,
): ExplainedBid | null {
  let state = NO_LOT;
  let placed: Placed | null = null;
  for (const { recordedAtUs: nowUs, events } of history) {
    for (const event of events) {
      if (event.type === 'bid_placed' && event.bidId === bidId) placed = { event, before: state, nowUs };
      state = evolve(state, event);
    }
  }
  return placed === null ? null : explained(placed, state, record);
}

function explained(placed: Placed, state: ParcelsState, record: AuctionRecord): ExplainedBid {
  const { sequence, bidder, bidId, amountCents: ceilingCents } = placed.event;
  const minimum = minimumOf(placed, record);
  const bid = state.bids.find((one) => one.bidId === bidId);
  const found = bid === undefined ? null : against(state, bid, minimum);
  const lotNumbers = lotsIn(state, setOf(state, placed.event.lotIds) ?? 0).map(({ lotNumber }) => lotNumber);
  return {
    sequence,
    own: { key: bidder.key, userId: bidder.userId, ceilingCents },
    rival: null,
    steps: [
      ...stepsThen(placed, record),
      { rule: 23, lotNumbers, bidCents: ceilingCents, minimumCents: minimum, found },
    ],
    fields: {
      leads: found?.leads ?? false,
      beaten_by: found?.beatenBy ?? [],
      price_to_lead: found === null ? null : formatCents(found.priceCents, state.decimals),
    },
  };
}

function minimumOf({ event, before }: Placed, { increments }: AuctionRecord): number {
  return minimumCents(before, setOf(before, event.lotIds) ?? 0, increments);
}

/** It came in time, and moved the end where it changed what led. */
function stepsThen({ event, before, nowUs }: Placed, record: AuctionRecord): Step[] {
  const { endsAtUs } = before;
  const steps: Step[] = [{ rule: 7, nowUs, endsAtUs, byFloor: record.type === 'simulcast' }];
  const changed = event.outcome !== 'standing';
  if (changed) extendedEndUs(before, record, nowUs, (step) => steps.push(step));
  return steps;
}

/** A bid against all others that stand now. */
function against(state: ParcelsState, bid: ParcelBid, minimum: number) {
  const { lots, bids } = state;
  const others = bids.filter((one) => one !== bid);
  const offered = offeredSet(state);
  const leading = choiceOf(lots, others, offered);
  const beside = choiceOf(lots, others, offered & ~bid.set);
  const needed = leastTotal(leading, beside, bid.sequence);
  const leads = bid.totalCents >= needed;
  const beaters = leads ? [] : leading.filter((one) => !beside.includes(one));
  return {
    leads,
    beatenBy: beaters.map(({ bidId }) => bidId),
    priceCents: Math.max(minimum, leastReaching(unitsOf(state, bid.set), needed)),
  };
}
