/**
 * One lot as its journal leaves it: the state that commands are decided on and events are folded into. It is small and
 * flat, because it is replaced whole with every commit; history lives in the journal.
 */

import { incrementAt } from '../auction/increments.ts';
import type { AuctionRecord, BidderKey } from '../auction/record.ts';

export type LotStatus = 'scheduled' | 'active' | 'sold' | 'passed' | 'unsold' | 'withdrawn';

/** Who leads. Only this bidder may see `ceilingCents`. */
export interface Leader {
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  readonly ceilingCents: number;
  /** The leader's newest row in the public list. */
  readonly bidId: string;
  /** What that row reads; absent where the journal is older than this field. */
  readonly listedCents?: number;
}

/** What a lot is offered for; the seller sets it, and most of it freezes with the first bid. */
export interface LotTerms {
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly buyNowCents: number | null;
  readonly consignorUserId: number | null;
}

export interface Winner {
  readonly key: BidderKey | null;
  readonly userId: number | null;
  readonly alias: string | null;
  readonly paddle: string | null;
}

export interface LotState extends LotTerms {
  readonly lotId: number;
  readonly auctionId: number;
  readonly lotNumber: number;
  /** The version of the lot's journal: the sequence of its last event. */
  readonly sequence: number;
  /** Hash of the last entry. */
  readonly hash: string;
  /** The journal's clock at the last entry. */
  readonly recordedAtUs: number;
  readonly status: LotStatus;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly originalEndsAtUs: number;
  readonly extensionCount: number;
  /** What moved the end last, other than the auction, was an outage of the journal. */
  readonly extendedByOutage: boolean;
  /** How many of the auction's pauses, those over, are already in `endsAtUs`. */
  readonly pausesApplied: number;
  /** Whether the auction is paused, by the lot's journal. */
  readonly paused: boolean;
  readonly currentCents: number;
  readonly bidCount: number;
  readonly leader: Leader | null;
  /** A bid has been taken: from then on the price fields are frozen, even if the bid is voided. */
  readonly frozen: boolean;
  /**
   * The reserve was lowered after the first bid: once is all, since each step reveals where the leader's ceiling is
   * not.
   */
  readonly reserveLowered: boolean;
  /** Set once, by the close. */
  readonly hammerCents: number | null;
  readonly winner: Winner | null;
  /** The last sequence applied for each simulcast platform. */
  readonly floorSequences: Readonly<Record<string, number>>;
  /** The facts of the floor's `sold` event, to know a repetition from a contradiction. */
  readonly saleFacts: string | null;
}

export function isClosed(state: LotState): boolean {
  return state.status === 'sold' || state.status === 'passed' || state.status === 'unsold';
}

/** Scheduled or active: bids may still come. */
export function isOpen(state: LotState): boolean {
  return state.status === 'active' || state.status === 'scheduled';
}

export function reserveMet(state: LotState): boolean {
  return state.reserveCents === null || (state.leader !== null && state.currentCents >= state.reserveCents);
}

/** Rule 1: no bids yet → the starting bid; else the current bid plus its increment. */
export function minimumNextCents(state: LotState, record: Pick<AuctionRecord, 'increments'>): number {
  if (state.leader === null) return state.startingBidCents;
  return state.currentCents + incrementAt(record.increments, state.currentCents);
}
