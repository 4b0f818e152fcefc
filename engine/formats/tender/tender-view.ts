/** What is shown of a tender: until its end what is known from the start, and to a bidder their own bid, sealed. */
import type { BidderKey } from '../../auction/record.ts';
import type { BidReading, Leading, RowReading, RowToRead } from '../../lot/format.ts';
import { type LotView, type Sight, viewOf } from '../../lot/sight.ts';
import { isReserveMet } from './opening-bids.ts';
import type { TenderBidPlaced } from './tender-events.ts';
import { shownSettings } from './tender-settings.ts';
import { ownBidOf, type TenderState } from './tender-state.ts';

export function view(state: TenderState, { viewer, increments }: Sight): LotView {
  const { isOpened, currentCents, bidCount, startingBidCents, round, top } = state;
  const fields = { ...shownSettings(state), round: round === 1 ? 'first' : 'final' };
  const own = viewer === null ? null : { leads: top?.key === viewer, ceilingCents: null };
  const part = isOpened
    ? { currentCents, bidCount, reserveMet: isReserveMet(state) }
    : { currentCents: null, bidCount: null, reserveMet: null };
  const shown = { ...part, minimumNextCents: startingBidCents, own, fields };
  return viewOf({ ...state, currentCents: isOpened ? currentCents : 0 }, { increments }, shown);
}

/** What a bidder may open of their own. */
export function ownOf(state: TenderState, viewer: BidderKey) {
  const { lotKey, finalists, isOpened, round } = state;
  if (isOpened) return null;
  return { lotKey, finalists: round === 2 ? finalists : null, bid: ownBidOf(state, viewer) ?? null };
}

/** Nobody leads until the bids are opened. */
export function leadersOf({ top }: TenderState): readonly Leading[] {
  return top === null ? [] : [top];
}

export function readBid({ amountCents, outcome }: TenderBidPlaced): BidReading {
  return {
    listedCents: amountCents,
    straightCents: amountCents,
    ceilingCents: amountCents,
    status: outcome === 'won' ? 'won' : outcome === 'outbid' ? 'outbid' : 'leading',
    ownCeilingCents: amountCents,
  };
}

export function readRow(state: TenderState, { bidId, voided, ceilingCents }: RowToRead): RowReading {
  const isTop = state.top?.bidId === bidId;
  const status = voided ? 'voided' : !isTop ? 'outbid' : state.status === 'sold' ? 'won' : 'leading';
  return { status, ownCeilingCents: ceilingCents };
}
