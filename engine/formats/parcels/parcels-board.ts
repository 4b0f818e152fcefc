/** A sale of tracts as a whole: what leads and what stands, and what a set would have to be bid (rule 23). */
import type { AuctionRecord } from '../../auction/record.ts';
import type { FloorCall } from '../../lot/group-format.ts';
import type { ShownFields } from '../../lot/shown-fields.ts';
import { formatUnitCount } from '../../lot/units.ts';
import { formatCents } from '../../money.ts';
import { isoFromUs } from '../../time.ts';
import { highestOn, minimumCents, rivalsOf } from './lead-price.ts';
import { isReserveMet } from './parcels-close.ts';
import { idsIn, leadingBids, openSet, type ParcelsState, setOf, setTotal, unitsOf } from './parcels-state.ts';
import { isPricedSale, shownBid, shownLeading } from './parcels-view.ts';

/** The choice that leads, and the bids that stand beside it. */
export function board(state: ParcelsState): ShownFields {
  const standing = state.bids.filter(({ bidId }) => !state.leading.includes(bidId));
  return {
    total: formatCents(state.totalCents, state.decimals),
    reserve_met: isReserveMet(state),
    end_time: isoFromUs(state.endsAtUs),
    leading: shownLeading(state),
    standing: standing.map((bid) => shownBid(state, bid)),
  };
}

/** The newest call from the floor that stands, which is the one that may be taken back. */
export function lastCall(state: ParcelsState): FloorCall | null {
  const bid = state.bids.findLast(({ channel }) => channel === 'floor');
  return bid === undefined ? null : { bidId: bid.bidId, lotIds: idsIn(state, bid.set) };
}

/** With totals beside amounts where those are for a unit. */
export function quote(
  state: ParcelsState,
  lotIds: readonly number[],
  { increments }: Pick<AuctionRecord, 'increments'>,
): ShownFields | null {
  const set = setOf(state, lotIds);
  if (set === null || set === 0 || (set & ~openSet(state)) !== 0) return null;
  const highest = highestOn(state, set);
  const minimum = minimumCents(state, set, increments);
  const { priceCents, beside } = rivalsOf(state, set, minimum);
  const displaced = leadingBids(state).filter((bid) => !beside.includes(bid));
  const count = unitsOf(state, set)?.count ?? null;
  const amount = (cents: number) => formatCents(cents, state.decimals);
  const totals = {
    minimum_total: amount(setTotal(state, set, minimum)),
    total_to_lead: amount(setTotal(state, set, priceCents)),
  };
  return {
    lot_ids: idsIn(state, set),
    units: count === null ? null : formatUnitCount(count),
    best_bid: highest === null ? null : amount(highest.cents),
    minimum_bid: amount(minimum),
    price_to_lead: amount(priceCents),
    ...(isPricedSale(state) ? totals : null),
    displaces: [...new Set(displaced.map(({ paddle }) => paddle))],
  };
}
