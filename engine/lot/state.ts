/**
 * What every lot has as its journal leaves it, whatever its format. A format's state is this and fields of its own:
 * what commands are decided on and events are folded into. It is small and flat, because it is replaced whole with
 * every commit; history lives in the journal.
 */

import type { BidderKey } from '../auction/record.ts';
import type { Decimals } from '../money.ts';
import type { LotUnits } from './units.ts';

export type LotStatus = 'scheduled' | 'active' | 'sold' | 'passed' | 'unsold' | 'withdrawn';

/** What a lot is offered for; the seller sets it, and most of it freezes with the first bid. */
export interface LotTerms {
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly buyNowCents: number | null;
  readonly consignorUserId: number | null;
  /** What its amounts are prices of; null: of the lot, of which nothing more is said. */
  readonly units: LotUnits | null;
}

export interface Winner {
  readonly key: BidderKey | null;
  readonly userId: number | null;
  readonly alias: string | null;
  readonly paddle: string | null;
}

export interface LotState extends LotTerms {
  /** The name of the format that decides it. */
  readonly format: string;
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
  /** The price that is public, 0 before there is one. */
  readonly currentCents: number;
  /** The rows of the public list that stand. */
  readonly bidCount: number;
  /** A bid has been taken: from then on the price fields are frozen, even if the bid is voided. */
  readonly frozen: boolean;
  /**
   * The reserve was lowered after the first bid: once is all, since each step reveals where a secret amount is not.
   */
  readonly reserveLowered: boolean;
  /** Set once, by the close. */
  readonly hammerCents: number | null;
  readonly winner: Winner | null;
  /** The last sequence applied for each simulcast platform. */
  readonly floorSequences: Readonly<Record<string, number>>;
  /** The facts of the floor's `sold` event, to know a repetition from a contradiction. */
  readonly saleFacts: string | null;
  /** The version of the conditions that its journal has; 0: none. */
  readonly conditionsVersion: number;
  /** Of the currency that the lot's amounts are in, for good: those of its auction when it came into the journal. */
  readonly decimals: Decimals;
}

export function isClosed(state: LotState): boolean {
  return state.status === 'sold' || state.status === 'passed' || state.status === 'unsold';
}

/** Closed with bids: a second chance sells it again, or its seller accepts what was bid below the reserve. */
export function mayResell({ status }: Pick<LotState, 'status'>): boolean {
  return status === 'sold' || status === 'passed';
}

/** Scheduled or active: bids may still come. */
export function isOpen(state: LotState): boolean {
  return state.status === 'active' || state.status === 'scheduled';
}

/** What every lot starts with, before its first event. */
export const UNSCHEDULED: Omit<LotState, 'format'> = {
  lotId: 0,
  auctionId: 0,
  lotNumber: 0,
  sequence: 0,
  hash: '',
  recordedAtUs: 0,
  status: 'scheduled',
  startsAtUs: 0,
  endsAtUs: 0,
  originalEndsAtUs: 0,
  extensionCount: 0,
  extendedByOutage: false,
  pausesApplied: 0,
  paused: false,
  startingBidCents: 0,
  reserveCents: null,
  buyNowCents: null,
  consignorUserId: null,
  units: null,
  currentCents: 0,
  bidCount: 0,
  frozen: false,
  reserveLowered: false,
  hammerCents: null,
  winner: null,
  floorSequences: {},
  saleFacts: null,
  conditionsVersion: 0,
  decimals: 2,
};
