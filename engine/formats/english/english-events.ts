/** The events of a lot with rising bids: a bid holds its ceiling and who leads after it, and a void who leads then. */
import type { BidPlaced, BidVoided, CommonEvent, HammerFell, LotClosed } from '../../lot/events.ts';
import type { ChoiceEvent } from './choice-events.ts';
import type { Leader } from './leader.ts';

/** A bid; `max_raised` ones are in no public list and in no count. */
export interface EnglishBidPlaced extends BidPlaced {
  /** The straight amount as it was bid, or null for a proxy bid. */
  readonly straightCents: number | null;
  /** The ceiling as it was bid. */
  readonly ceilingCents: number;
  /** The row's amount. */
  readonly listedCents: number;
  readonly leader: Leader;
  readonly floor: { readonly platform: string; readonly sequence: number } | null;
  /** Only on `won`: what the lot was sold for; `lot_closed` follows, but in the oldest journals. */
  readonly hammerCents: number | null;
}

export interface EnglishBidVoided extends BidVoided {
  readonly leader: Leader | null;
  /** Only where the lot carries the bidding of a group: whether who leads has bid online. */
  readonly leadsOnline?: boolean;
}

/** What comes into the journal once the result is final, and until when that waits. */
export interface HeldResult {
  readonly untilUs: number;
  readonly close: Omit<LotClosed, 'sequence'>;
  /** The row that says the sale where none does yet. */
  readonly row: Omit<EnglishBidPlaced, 'sequence'> | null;
}

export interface EnglishHammerFell extends HammerFell, HeldResult {}

export type EnglishEvent =
  | CommonEvent
  | EnglishBidPlaced
  | EnglishBidVoided
  | ChoiceEvent
  | EnglishHammerFell;
