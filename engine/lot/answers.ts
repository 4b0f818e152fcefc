/**
 * The result of a command: accepted, refused with a code of one union, or not yet decidable because something
 * must be fetched first. A refusal is a value and part of the rules; faults (the journal is unavailable) are thrown
 * instead.
 */

import type { Decimals } from '../money.ts';
import type { BidOutcome } from './events.ts';
import type { ShownFields } from './shown-fields.ts';
import type { LotState, LotStatus } from './state.ts';

export type RefusalCode =
  | 'not_visible'
  | 'lot_withdrawn'
  | 'auction_paused'
  | 'lot_closed'
  | 'lot_not_started'
  | 'seller_cannot_bid'
  | 'bidder_suspended'
  | 'verification_required'
  | 'registration_required'
  | 'registration_pending'
  | 'deposit_required'
  | 'currency_mismatch'
  | 'max_not_increased'
  | 'bid_too_low'
  /** It would not lead, and is not to stand otherwise. */
  | 'bid_not_leading'
  /** Several lots together are not taken yet. */
  | 'combinations_not_open'
  | 'bid_limit_exceeded'
  | 'bid_confirmation_required'
  | 'buy_now_unavailable'
  | 'not_enough_left'
  /** A field of a bid that the lot's format has no use for; `field` names it. */
  | 'field_unused'
  /** The bid is sealed for good. */
  | 'withdrawal_not_allowed'
  | 'not_in_final_round'
  /** The key that bids are sealed with is not at hand. */
  | 'sealing_unavailable'
  | 'already_voided'
  | 'bid_unknown'
  | 'not_last_call'
  | 'undo_too_late'
  | 'undo_limit'
  | 'undo_staff_only'
  | 'lot_without_bids'
  | 'lot_locked'
  | 'lot_already_sold'
  | 'invalid_transition'
  | 'admin_required'
  | 'floor_duplicate'
  | 'floor_stale'
  /** What the floor has sold several lots for is not what their leading bids come to. */
  | 'hammer_not_total'
  /** The lot is offered with others, and another of them carries the bidding. */
  | 'offered_elsewhere'
  /** The hammer has fallen on the group, and its winner is choosing. */
  | 'choice_pending'
  | 'choice_over'
  /** Whoever chooses has not won. */
  | 'choice_of_another'
  /** What is chosen is none of the group's lots that are still offered. */
  | 'choice_unknown';

/** The lot at a sequence, as its bidder is told of it. */
export interface LotAfterBid {
  readonly currentCents: number;
  readonly minimumNextCents: number;
  readonly bidCount: number;
  readonly reserveMet: boolean;
  readonly isHighBidder: boolean;
  readonly endsAtUs: number;
  readonly extended: boolean;
  readonly status: LotStatus;
}

export interface AcceptedBid {
  /** Decimal decimals of the amounts. */
  readonly decimals: Decimals;
  readonly kind: 'bid';
  readonly bidId: string;
  readonly lotId: number;
  readonly auctionId: number;
  readonly outcome: BidOutcome;
  readonly listedCents: number;
  /** The bidder's own ceiling now. */
  readonly ceilingCents: number;
  readonly channel: string;
  readonly sequence: number;
  readonly placedAtUs: number;
  readonly paddle: string;
  readonly lot: LotAfterBid;
  /** What the format says of the bid beside this. */
  readonly fields?: ShownFields;
  /** What it says of the lot beside `lot`; only with `fields`. */
  readonly lotFields?: ShownFields;
  /** Filled when the entry is sealed. */
  readonly hash: string;
  readonly previousHash: string;
}

/** Anything but a bid that was taken: what it changed is in the events; `sequence` is the lot's after it. */
export interface Done {
  readonly kind: 'done';
  readonly changed: boolean;
  readonly sequence: number;
  readonly status: LotStatus;
  readonly flags: readonly string[];
  /** Other lots that what was decided is carried over to. */
  readonly wakes?: readonly number[];
}

export interface Refused {
  readonly kind: 'refused';
  /** Decimal decimals of the amounts. */
  readonly decimals: Decimals;
  readonly code: RefusalCode;
  readonly currentCents: number;
  readonly minimumNextCents: number;
  readonly endsAtUs: number;
  /** What the format says beside this. */
  readonly fields?: ShownFields;
  /** With `offered_elsewhere`: the lot that decides it; null: to be found anew. */
  readonly carrier?: number | null;
}

export type Answer = AcceptedBid | Done | Refused;

/** The command cannot be decided with the data at hand; its sender fetches what is missing and sends it again. */
export type Need = 'registration' | 'history';

/** A refusal, with the least that would be taken now. */
export function refused(
  code: RefusalCode,
  { currentCents, endsAtUs, decimals }: Pick<LotState, 'currentCents' | 'endsAtUs' | 'decimals'>,
  minimumNextCents: number,
  fields?: ShownFields,
): Refused {
  const answer: Refused = { kind: 'refused', decimals, code, currentCents, minimumNextCents, endsAtUs };
  return fields === undefined ? answer : { ...answer, fields };
}
