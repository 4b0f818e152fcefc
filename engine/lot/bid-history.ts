/**
 * A lot's bids as its journal has them, in order: what a void is worked out from. Whoever sends a void reads it
 * from the archive and the journal's tail and hands it in.
 */
import type { BidderKey } from '../auction/record.ts';

export interface HistoricBid {
  readonly kind: 'bid';
  readonly bidId: string;
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  readonly straightCents: number | null;
  readonly ceilingCents: number;
}

/** The terms as they were from here on: the first item of a history, and each change of the reserve since. */
export interface HistoricTerms {
  readonly kind: 'terms';
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
}

export interface HistoricVoid {
  readonly kind: 'void';
  readonly bidId: string;
}

export interface BidHistory {
  /** The sequence of the last event that the items take in. */
  readonly sequence: number;
  readonly items: readonly (HistoricBid | HistoricTerms | HistoricVoid)[];
}
