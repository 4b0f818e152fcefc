/**
 * What has happened to a lot, in the past tense. Events hold everything that folding and replaying need, ceilings and
 * user ids included; `public-events.ts` says what of it the world may see. Each event has its own sequence.
 */
import type { BidderKey, Outage } from '../auction/record.ts';
import type { Channel } from './commands.ts';
import type { Leader, LotStatus, LotTerms, Winner } from './state.ts';

interface Sequenced {
  readonly sequence: number;
}

export interface LotScheduled extends Sequenced, LotTerms {
  readonly type: 'lot_scheduled';
  readonly lotId: number;
  readonly auctionId: number;
  readonly lotNumber: number;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly pausesApplied: number;
  readonly salt: string;
}

export interface LotOpened extends Sequenced {
  readonly type: 'lot_opened';
}

/**
 * The lot follows a change of its auction (its start or end moved, it was paused or resumed), or stays open because
 * the journal was unavailable.
 */
export interface LotRescheduled extends Sequenced {
  readonly type: 'lot_rescheduled';
  readonly reason: 'paused' | 'resumed' | 'auction_changed' | 'outage';
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly originalEndsAtUs: number;
  readonly paused: boolean;
  readonly pausesApplied: number;
  /** Only where that is the reason: when the journal was unavailable. */
  readonly outage?: Outage;
}

export const BID_OUTCOMES = ['leading', 'leading_reserve_not_met', 'outbid', 'max_raised', 'won'] as const;
export type BidOutcome = (typeof BID_OUTCOMES)[number];

/** A bid in the journal; `max_raised` ones are in no public list and in no count. */
export interface BidPlaced extends Sequenced {
  readonly type: 'bid_placed';
  readonly bidId: string;
  readonly salt: string;
  readonly bidder: {
    readonly key: BidderKey;
    readonly userId: number | null;
    readonly alias: string;
    readonly paddle: string;
  };
  readonly channel: Channel;
  /** The straight amount as it was bid, or null for a proxy bid. */
  readonly straightCents: number | null;
  /** The ceiling as it was bid. */
  readonly ceilingCents: number;
  readonly outcome: BidOutcome;
  /** The row's amount. */
  readonly listedCents: number;
  /** The lot's lead after it. */
  readonly currentCents: number;
  readonly leader: Leader;
  readonly bidCount: number;
  readonly minimumNextCents: number;
  readonly reserveMet: boolean;
  readonly endsAtUs: number;
  /** The new end, where this bid moved it. */
  readonly extendedToUs: number | null;
  readonly floor: { readonly platform: string; readonly sequence: number } | null;
  /** Only on `won`: what the lot was sold for; `lot_closed` follows, but in the oldest journals. */
  readonly hammerCents: number | null;
}

export interface TermsChanged extends Sequenced, LotTerms {
  readonly type: 'terms_changed';
  readonly salt: string;
  /** The price after it: a lower reserve may be met at once. */
  readonly currentCents: number;
}

export interface BidVoided extends Sequenced {
  readonly type: 'bid_voided';
  readonly bidId: string;
  readonly reason: string;
  readonly currentCents: number;
  readonly leader: Leader | null;
  readonly bidCount: number;
  /** Rows that read otherwise now than before: a row may become a raise and leave the list, or return to it. */
  readonly changedRows: readonly ChangedRow[];
}

export interface ChangedRow {
  readonly bidId: string;
  readonly outcome: BidOutcome;
  readonly listedCents: number;
}

export interface LotClosed extends Sequenced {
  readonly type: 'lot_closed';
  readonly status: Extract<LotStatus, 'sold' | 'passed' | 'unsold'>;
  readonly reason: 'time' | 'floor' | 'buy_now' | 'second_chance';
  readonly hammerCents: number | null;
  readonly winner: Winner | null;
  readonly flags: readonly SaleFlag[];
  readonly floor: { readonly platform: string; readonly sequence: number } | null;
  readonly saleFacts: string | null;
}

export type SaleFlag = 'not_the_leader' | 'hammer_below_current' | 'reserve_not_met';

/**
 * A lot that had passed, or had no bids, is up again, or the sale of one fell through: the events that follow in the
 * same entry say what came of it.
 */
export interface LotReopened extends Sequenced {
  readonly type: 'lot_reopened';
  readonly reason: 'sold' | 'second_chance';
}

export interface LotWithdrawn extends Sequenced {
  readonly type: 'lot_withdrawn';
  readonly reason: string;
}

/** The journal lost its disk, and the lot returned as far as it had been projected. */
export interface LotRecovered extends Sequenced {
  readonly type: 'lot_recovered';
  /** The last sequence that is known to have been kept. */
  readonly lastKeptSequence: number;
}

export type LotEvent =
  | LotScheduled
  | LotOpened
  | LotRescheduled
  | BidPlaced
  | TermsChanged
  | BidVoided
  | LotClosed
  | LotReopened
  | LotWithdrawn
  | LotRecovered;

type Unsequenced<T> = T extends LotEvent ? Omit<T, 'sequence'> : never;

/** An event before it has been given its sequence in the journal. */
export type NewEvent = Unsequenced<LotEvent>;
