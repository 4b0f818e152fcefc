/** What is shown of a tract and of the sale that it is in: bids, who leads, and what for, are public. */
import type { BidReading, Leading, RowReading, RowStatus, RowToRead, Sale } from '../../lot/format.ts';
import type { ShownFields } from '../../lot/shown-fields.ts';
import { type LotView, type Sight, viewOf } from '../../lot/sight.ts';
import { isPerUnit } from '../../lot/units.ts';
import { formatCents } from '../../money.ts';
import { minimumCents } from './lead-price.ts';
import { reachesWhole, wouldBuy } from './parcels-close.ts';
import type { LeadingBid, ParcelsBidPlaced } from './parcels-events.ts';
import { faceOf } from './parcels-faces.ts';
import {
  idsIn,
  leadingBids,
  leadingOn,
  lotOf,
  type ParcelBid,
  type ParcelsState,
  setOf,
} from './parcels-state.ts';

/** A bid as answers have it; with its total where amounts are for a unit. */
export function shownBid(
  state: Pick<ParcelsState, 'lots' | 'decimals'>,
  { bidId, sequence, set, cents, totalCents, paddle }: ParcelBid,
): LeadingBid {
  return {
    bid_id: bidId,
    lot_ids: idsIn(state, set),
    amount: formatCents(cents, state.decimals),
    ...(isPricedSale(state) ? { total: formatCents(totalCents, state.decimals) } : null),
    paddle_number: paddle,
    sequence,
  };
}

/** Whether amounts are for one unit: of all lots, or of none. */
export function isPricedSale({ lots }: Pick<ParcelsState, 'lots'>): boolean {
  return lots.some(({ units }) => isPerUnit(units));
}

/** What leads now, as answers have it. */
export function shownLeading(state: ParcelsState): LeadingBid[] {
  return leadingBids(state).map((bid) => shownBid(state, bid));
}

/** Of the lot that the state faces. */
export function view(state: ParcelsState, { viewer, increments }: Sight): LotView {
  const face = faceOf(state, state.lotId);
  const leader = leadingOn(state, state.lotId);
  return viewOf(
    face,
    { increments },
    {
      currentCents: face.currentCents,
      minimumNextCents: minimumNextCents(state, { increments }),
      bidCount: face.bidCount,
      reserveMet: leader === null ? reachesWhole(state) : wouldBuy(state, leader),
      own: viewer === null ? null : { leads: leader?.key === viewer, ceilingCents: null },
      fields: { leading_set: leader === null ? null : shownBid(state, leader), set: soldSet(state) },
    },
  );
}

/** The least that would be taken for the lot alone. */
export function minimumNextCents(state: ParcelsState, { increments }: Pick<Sight, 'increments'>): number {
  return minimumCents(state, setOf(state, [state.lotId]) ?? 0, increments);
}

/** What a sold lot was bought with: the bid, its lots and its amount; null: it is not sold. */
function soldSet(state: ParcelsState): ShownFields | null {
  const bidId = lotOf(state, state.lotId)?.setBidId ?? null;
  const bid = state.bids.find((one) => one.bidId === bidId);
  if (bid === undefined) return null;
  const { paddle_number: _, sequence: __, ...set } = shownBid(state, bid);
  return set;
}

/** Whose bid leads on the lot. */
export function leadersOf(state: ParcelsState): Leading[] {
  const bid = leadingOn(state, state.lotId);
  if (bid === null) return [];
  const { key, userId, paddle, bidId } = bid;
  return [{ key, userId, paddle, bidId }];
}

export function salesOf(state: ParcelsState): Sale[] {
  const lot = lotOf(state, state.lotId);
  if (lot === undefined || lot.status !== 'sold' || lot.winner === null || lot.hammerCents === null)
    return [];
  return [{ winner: lot.winner, bidId: lot.setBidId, hammerCents: lot.hammerCents }];
}

export function readBid(event: ParcelsBidPlaced): BidReading {
  const { amountCents, outcome, lotIds, bidTotal, leading, bidId } = event;
  const leads = leading.some((one) => one.bid_id === bidId);
  return {
    listedCents: amountCents,
    straightCents: amountCents,
    ceilingCents: amountCents,
    status: outcome === 'won' ? 'won' : leads ? 'leading' : 'standing',
    ownCeilingCents: amountCents,
    fields: { lot_ids: lotIds, ...(bidTotal === null ? null : { total: bidTotal }), leading },
  };
}

export function readRow(state: ParcelsState, { bidId, voided, ceilingCents }: RowToRead): RowReading {
  const bid = state.bids.find((one) => one.bidId === bidId);
  const row = { status: statusOf(state, bid, voided), ownCeilingCents: ceilingCents };
  if (bid === undefined) return row;
  const { lot_ids, total } = shownBid(state, bid);
  return { ...row, fields: { lot_ids, ...(total === undefined ? null : { total }) } };
}

/** A bid that stands may lead yet, until the end; one of whose lots was withdrawn stands no more. */
function statusOf(state: ParcelsState, bid: ParcelBid | undefined, voided: boolean): RowStatus {
  if (voided) return 'voided';
  if (bid === undefined) return 'outbid';
  if (state.lots.some(({ setBidId }) => setBidId === bid.bidId)) return 'won';
  if (state.leading.includes(bid.bidId)) return 'leading';
  const isOver = state.lots.every(({ status }) => status !== 'scheduled' && status !== 'active');
  return isOver ? 'outbid' : 'standing';
}
