/**
 * The plain data that the history check reads: what clients did, each with the two moments between which it happened,
 * and what the journal of a lot holds in the end. Written down by the fault runs and by the random histories; money is
 * integer cents, times are integer microseconds of one clock. Nothing here knows the engine.
 */
import type { NaiveBand } from '../support/naive-terms.ts';

/** A lot's state, as given in an answer. */
export interface NamedStanding {
  readonly currentCents: number;
  readonly minimumNextCents: number;
  readonly endsAtUs: number;
}

export type OperationAnswer =
  | {
      readonly kind: 'accepted';
      readonly sequence: number;
      readonly bidId: string;
      readonly outcome: string;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly standing: NamedStanding | null }
  /** No answer, or one that leaves the outcome open: the bid may be recorded or not, now or later. */
  | { readonly kind: 'unknown' }
  /** The service said that it recorded nothing. */
  | { readonly kind: 'nothing_recorded' };

/** One request for a bid. Several under one key, of one bidder on one lot, are tries of the same bid. */
export interface Operation {
  readonly lotId: number;
  readonly bidder: string;
  /** The straight amount, or null for a proxy bid. */
  readonly straightCents: number | null;
  /** The larger of straight amount and `max_amount`. */
  readonly ceilingCents: number;
  readonly key: string | null;
  readonly invokedUs: number;
  readonly returnedUs: number;
  readonly answer: OperationAnswer;
}

interface Item {
  readonly sequence: number;
  /** The journal's clock at the entry that holds it. */
  readonly atUs: number;
}

export interface BidItem extends Item {
  readonly kind: 'bid';
  readonly bidId: string;
  readonly bidder: string;
  readonly straightCents: number | null;
  readonly ceilingCents: number;
  readonly outcome: string;
  readonly currentCents: number;
  readonly leader: string;
  readonly extendedToUs: number | null;
}

/** One event of a lot's journal. */
export type JournalItem =
  | BidItem
  | (Item & { readonly kind: 'opened' })
  | (Item & {
      readonly kind: 'moved';
      readonly startsAtUs: number;
      readonly endsAtUs: number;
      readonly paused: boolean;
    })
  | (Item & {
      readonly kind: 'closed';
      readonly status: string;
      readonly hammerCents: number | null;
      readonly winner: string | null;
    })
  | (Item & { readonly kind: 'withdrawn' });

/** A lot, its terms, and everything in its journal after it was scheduled, in order. */
export interface LotHistory {
  readonly lotId: number;
  /** Lots of one auction share their bidders' limits. */
  readonly auctionId: number;
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  /** Null: the house's table. */
  readonly increments: NaiveBand[] | null;
  readonly softClose: {
    readonly windowUs: number;
    readonly extensionUs: number;
    readonly maxExtensions: number | null;
  } | null;
  /** What a bidder's ceilings on the auction's open lots may add up to; null: no limit. */
  readonly limitCents: number | null;
  /** When the auction may have been paused: from the call that paused it to the return of the one that resumed it. */
  readonly pauses: readonly { readonly fromUs: number; readonly toUs: number }[];
  readonly items: readonly JournalItem[];
}

/** How far the journal's clock may be off the clients', and how old a stamp may be when it is committed. */
export interface ClockTerms {
  readonly toleranceUs: number;
  readonly stampAgeUs: number;
}

export type ViolationKind =
  /** An acknowledged bid is not in the journal where it was said to be. */
  | 'lost'
  /** A bid is in the journal that nobody sent, or that was refused. */
  | 'phantom'
  /** A bid is in the journal more often than it was sent. */
  | 'double'
  /** Something that had returned comes later in the journal than something that had not begun. */
  | 'order'
  /** A refusal that was true at no moment between its call and its return. */
  | 'refusal'
  /** The same key got two answers. */
  | 'answers'
  /** The journal is not what the rules make of it: prices, ends, bids after the close, the winner. */
  | 'rules';

export interface Violation {
  readonly kind: ViolationKind;
  readonly lotId: number;
  readonly what: string;
}
