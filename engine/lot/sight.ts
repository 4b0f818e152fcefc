/**
 * What may be shown of a lot, as its format says it to one viewer: prices, counts, times and the viewer's own position.
 * Lists, details, streams, pages, mails, webhooks and exports are made of this, and read no state of their own.
 */
import { type Increment, incrementAt } from '../auction/increments.ts';
import type { BidderKey } from '../auction/record.ts';
import type { ShownFields } from './shown-fields.ts';
import type { LotState, LotStatus } from './state.ts';

/** Who looks, when, and by which increments the auction goes. */
export interface Sight {
  /** Null: somebody who is not known. */
  readonly viewer: BidderKey | null;
  readonly increments: readonly Increment[];
  readonly nowUs: number;
}

export interface LotView {
  readonly status: LotStatus;
  readonly startingBidCents: number;
  /** 0 before the first bid; null: it is told to nobody now. */
  readonly currentCents: number | null;
  /** The least that would be taken now. */
  readonly minimumNextCents: number;
  readonly incrementCents: number;
  /** Null: it is told to nobody now. */
  readonly bidCount: number | null;
  readonly hasReserve: boolean;
  /** Null: it is told to nobody now. */
  readonly reserveMet: boolean | null;
  readonly buyNowCents: number | null;
  readonly hammerCents: number | null;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly originalEndsAtUs: number;
  readonly extensionCount: number;
  /** What moved the end last, beside the auction. */
  readonly extendedBy: 'bid' | 'outage' | null;
  /** The viewer's position; null where nobody is known to look. */
  readonly own: OwnPosition | null;
  /** What the format shows beside this. */
  readonly fields?: ShownFields;
}

export interface OwnPosition {
  readonly leads: boolean;
  /** The most that the viewer has bid on this lot, where they lead; null otherwise. */
  readonly ceilingCents: number | null;
}

/** What only the format knows of a view. */
export type FormatsPart = Pick<
  LotView,
  'currentCents' | 'minimumNextCents' | 'bidCount' | 'reserveMet' | 'own' | 'fields'
>;

/** A view of a lot: what its state says of every lot, and the format's part. */
export function viewOf(
  state: LotState,
  { increments }: Pick<Sight, 'increments'>,
  part: FormatsPart,
): LotView {
  const { extendedByOutage, extensionCount } = state;
  return {
    status: state.status,
    startingBidCents: state.startingBidCents,
    currentCents: part.currentCents,
    minimumNextCents: part.minimumNextCents,
    incrementCents: incrementAt(increments, state.currentCents),
    bidCount: part.bidCount,
    hasReserve: state.reserveCents !== null,
    reserveMet: part.reserveMet,
    buyNowCents: state.buyNowCents,
    hammerCents: state.hammerCents,
    startsAtUs: state.startsAtUs,
    endsAtUs: state.endsAtUs,
    originalEndsAtUs: state.originalEndsAtUs,
    extensionCount,
    extendedBy: extendedByOutage ? 'outage' : extensionCount > 0 ? 'bid' : null,
    own: part.own,
    ...(part.fields === undefined ? {} : { fields: part.fields }),
  };
}
