/** What is shown of a lot on a falling clock: prices and times are public, and so is who took how much. */
import type { BidReading, RowReading, RowToRead } from '../../lot/format.ts';
import type { ShownFields } from '../../lot/shown-fields.ts';
import { type LotView, type Sight, viewOf } from '../../lot/sight.ts';
import { isOpen } from '../../lot/state.ts';
import { formatCents } from '../../money.ts';
import { isoFromUs } from '../../time.ts';
import type { FallingBidPlaced } from './falling-events.ts';
import { shownClock } from './falling-settings.ts';
import {
  type FallingState,
  nextFallUs,
  priceAt,
  quantityLeft,
  shownMoment,
  takenCents,
} from './falling-state.ts';

export function view(state: FallingState, { viewer, increments, nowUs }: Sight): LotView {
  return viewOf(
    state,
    { increments },
    {
      currentCents: state.currentCents,
      minimumNextCents: priceAt(state, shownMoment(state, nowUs)),
      bidCount: state.bidCount,
      reserveMet: true,
      own:
        viewer === null ? null : { leads: state.taken.some(({ key }) => key === viewer), ceilingCents: null },
      fields: { ...shownClock(state, state.decimals), ...shownNow(state, nowUs) },
    },
  );
}

/** What the clock and the bids change. */
export function shownNow(state: FallingState, nowUs: number): ShownFields {
  const atUs = shownMoment(state, nowUs);
  const left = quantityLeft(state);
  const fallsUs = isOpen(state) && left > 0 ? nextFallUs(state, atUs) : null;
  return {
    next_price: fallsUs === null ? null : formatCents(priceAt(state, fallsUs), state.decimals),
    // While the auction is paused nobody knows when.
    next_price_at: fallsUs === null || state.paused ? null : isoFromUs(fallsUs),
    quantity_left: left,
  };
}

export function readBid({ amountCents, take, leftCount }: FallingBidPlaced): BidReading {
  return {
    listedCents: amountCents,
    straightCents: amountCents,
    ceilingCents: amountCents,
    status: 'won',
    ownCeilingCents: amountCents,
    fields: { take },
    lotFields: { quantity_left: leftCount, status: leftCount === 0 ? 'sold' : 'active' },
  };
}

export function readRow(state: FallingState, { bidId, voided, ceilingCents }: RowToRead): RowReading {
  const row = { status: voided ? 'voided' : 'won', ownCeilingCents: ceilingCents } as const;
  const one = state.taken.find((taken) => taken.bidId === bidId);
  if (one === undefined) return row;
  return { ...row, fields: { take: one.take, total: formatCents(takenCents(state, one), state.decimals) } };
}
