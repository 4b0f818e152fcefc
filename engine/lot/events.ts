/**
 * What has happened to a lot, in the past tense, as far as every format has it: a format's own events have more fields
 * than these, and there may be others of its own. Events hold everything that folding and replaying need, secrets and
 * user ids included; the format says what of it the world may see. Each event has its own sequence.
 */
import type { BidderKey, Conditions, Outage } from '../auction/record.ts';
import type { Decimals } from '../money.ts';
import type { Channel } from './channels.ts';
import type { ShownFields } from './shown-fields.ts';
import type { LotStatus, LotTerms, Winner } from './state.ts';
import type { LotUnits } from './units.ts';

export interface Sequenced {
  readonly sequence: number;
}

/** What has happened to one lot of several that are sold as one. */
interface OfMember extends Sequenced {
  /** Which one; absent: the lot that the journal is of, or, of a sale, all of it. */
  readonly lotId?: number;
}

/** What a lot is offered for, as events have it. */
interface RecordedTerms extends Omit<LotTerms, 'units'> {
  /** Absent: as before, and at first none. */
  readonly units?: LotUnits | null;
}

export interface LotScheduled extends Sequenced, RecordedTerms {
  readonly type: 'lot_scheduled';
  readonly lotId: number;
  readonly auctionId: number;
  readonly lotNumber: number;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly pausesApplied: number;
  readonly salt: string;
  /** Decimal places of the currency; absent: two. */
  readonly decimals?: Decimals;
  /** Absent: the first format. */
  readonly format?: string;
  /** What the format was set to for this lot, under the names that its journal has for it. */
  readonly settings?: ShownFields;
  /** The group that it closes with; absent: none. */
  readonly closeGroup?: string;
  /** The group that it is offered with; absent: none. */
  readonly choiceGroup?: string;
  /** What its bids are sealed with, itself sealed; absent: they are not. Never shown. */
  readonly lotKey?: string;
}

export interface LotOpened extends Sequenced {
  readonly type: 'lot_opened';
}

/**
 * The lot follows a change of its auction (its start or end moved, it was paused or resumed), stays open because the
 * journal was unavailable, or ends with the other lots of its group.
 */
export interface LotRescheduled extends Sequenced {
  readonly type: 'lot_rescheduled';
  readonly reason: 'paused' | 'resumed' | 'auction_changed' | 'outage' | 'void' | 'group';
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly originalEndsAtUs: number;
  readonly paused: boolean;
  readonly pausesApplied: number;
  /** Only where that is the reason: when the journal was unavailable. */
  readonly outage?: Outage;
  /** The lot closes with this group from here on, or, null, by itself; absent: as before. */
  readonly closeGroup?: string | null;
  /** The same of the group that it is offered with. */
  readonly choiceGroup?: string | null;
  /** Until when the winner of its group may choose now, where that moved. */
  readonly choiceUntilUs?: number;
  /** Only where the group is the reason: what the lot takes over from it. */
  readonly group?: {
    readonly version: number;
    readonly causedBy: number;
    readonly extensionCount: number;
    readonly byOutage: boolean;
  };
}

/** What a bid came to, in all formats. */
export const BID_OUTCOMES = [
  'leading',
  'leading_reserve_not_met',
  'outbid',
  'max_raised',
  'won',
  'sealed',
  'standing',
] as const;
export type BidOutcome = (typeof BID_OUTCOMES)[number];

/** Outcomes of bids that are in no public list and in no count. */
export function isListed(outcome: BidOutcome): boolean {
  return outcome !== 'max_raised' && outcome !== 'sealed';
}

/** A bid in the journal. */
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
  readonly outcome: BidOutcome;
  /** The price after it. */
  readonly currentCents: number;
  readonly bidCount: number;
  readonly minimumNextCents: number;
  readonly reserveMet: boolean;
  readonly endsAtUs: number;
  /** The new end, where this bid moved it. */
  readonly extendedToUs: number | null;
}

export interface TermsChanged extends OfMember, RecordedTerms {
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
  readonly bidCount: number;
  /** Rows that read otherwise now than before: a row may become a raise and leave the list, or return to it. */
  readonly changedRows: readonly ChangedRow[];
  /** The clerk has taken a call back: the price that a ceiling had answered it with stays. */
  readonly undone?: true;
}

/** The seller has changed what a lot with bids is said to be. What was said before is kept with it. */
export interface LotAmended extends OfMember {
  readonly type: 'lot_amended';
  /** Hex SHA-256 of the amendment. */
  readonly sha256: string;
  /** The amendment in RFC 8785 form, from which its rows are written; the engine does not read it. */
  readonly amendment: string;
}

/** The auction has conditions of sale, or others; null: it has none any more. */
export interface LotConditionsSet extends Sequenced {
  readonly type: 'lot_conditions_set';
  readonly conditions: Conditions | null;
}

export interface ChangedRow {
  readonly bidId: string;
  readonly outcome: BidOutcome;
  readonly listedCents: number;
}

export interface LotClosed extends OfMember {
  readonly type: 'lot_closed';
  readonly status: Extract<LotStatus, 'sold' | 'passed' | 'unsold'>;
  readonly reason: 'time' | 'floor' | 'buy_now' | 'second_chance' | 'taken' | 'choice';
  readonly hammerCents: number | null;
  readonly winner: Winner | null;
  readonly flags: readonly SaleFlag[];
  readonly floor: { readonly platform: string; readonly sequence: number } | null;
  readonly saleFacts: string | null;
  /** The lot that carried the bidding of its group, where that was another. */
  readonly causedBy?: number;
}

export type SaleFlag = 'not_the_leader' | 'hammer_below_current' | 'reserve_not_met';

/**
 * A lot that had passed, or had no bids, is up again, or the sale of one fell through: the events that follow in the
 * same entry say what came of it. Or the clerk has taken the hammer back, and the lot takes bids again.
 */
export interface LotReopened extends Sequenced {
  readonly type: 'lot_reopened';
  readonly reason: 'sold' | 'second_chance' | 'taken_back';
}

/** Rule 24: what the clerk's hammer has decided shows, and is final once it cannot be taken back any more. */
export interface HammerFell extends Sequenced {
  readonly type: 'hammer_fell';
  readonly untilUs: number;
}

export interface LotWithdrawn extends OfMember {
  readonly type: 'lot_withdrawn';
  readonly reason: string;
}

/** The journal lost its disk, and the lot returned as far as it had been projected. */
export interface LotRecovered extends Sequenced {
  readonly type: 'lot_recovered';
  /** The last sequence that is known to have been kept. */
  readonly lastKeptSequence: number;
}

/**
 * The events by their types. A format with events of its own adds them here from its folder, by declaring this
 * interface once more.
 */
export interface LotEvents {
  readonly lot_scheduled: LotScheduled;
  readonly lot_opened: LotOpened;
  readonly lot_rescheduled: LotRescheduled;
  readonly bid_placed: BidPlaced;
  readonly terms_changed: TermsChanged;
  readonly bid_voided: BidVoided;
  readonly lot_amended: LotAmended;
  readonly lot_conditions_set: LotConditionsSet;
  readonly lot_closed: LotClosed;
  readonly lot_reopened: LotReopened;
  readonly hammer_fell: HammerFell;
  readonly lot_withdrawn: LotWithdrawn;
  readonly lot_recovered: LotRecovered;
}

export type LotEvent = LotEvents[keyof LotEvents];

/** The events that are whole as they are here, whatever the format. */
export type CommonEvent = LotEvents[CommonType];
type CommonType =
  | 'lot_scheduled'
  | 'lot_opened'
  | 'lot_rescheduled'
  | 'terms_changed'
  | 'lot_amended'
  | 'lot_conditions_set'
  | 'lot_closed'
  | 'lot_reopened'
  | 'lot_withdrawn'
  | 'lot_recovered';

type Unsequenced<T> = T extends Sequenced ? Omit<T, 'sequence'> : never;

/** An event before it has been given its sequence in the journal. */
export type NewEvent<E extends Sequenced = LotEvent> = Unsequenced<E>;
