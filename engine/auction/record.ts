/**
 * The auction's record: the settings and the bidders' eligibility that every decision on one of its lots is judged by.
 * It lives beside the lots in the journal, under a version that each commit checks, so that a pause, a suspension or a
 * lower limit applies to the very next bid, wherever that is decided.
 */

import { itemAt } from '../first-of.ts';
import { LAST_US } from '../time.ts';
import type { ChoiceGroup, ChoiceNote } from './choice-groups.ts';
import type { CloseGroup, GroupNote } from './close-groups.ts';
import type { Increment } from './increments.ts';

/** Extends the end of a lot when a bid comes late. `windowSeconds` 0 turns it off. */
export interface SoftClose {
  readonly windowSeconds: number;
  readonly extensionSeconds: number;
  readonly maxExtensions: number | null;
}

export const DEFAULT_SOFT_CLOSE: SoftClose = {
  windowSeconds: 300,
  extensionSeconds: 300,
  maxExtensions: null,
};

export type RegistrationMode = 'open' | 'approval' | 'deposit';

export interface Pause {
  readonly fromUs: number;
  readonly toUs: number | null;
  /** The auction's own end was moved by this pause when it was over; absent in records older than that. */
  readonly movedEnd?: true;
}

/** The journal must have been silent for longer than this to have been unavailable (rule 16). */
export const OUTAGE_US = 2_000_000;

/** A silence of the journal's heartbeat: between the last sign of life before it and the first one after it. */
export interface Outage {
  readonly fromUs: number;
  readonly toUs: number;
}

/** The conditions of sale that whoever bids online has accepted; what they say is kept elsewhere. */
export interface Conditions {
  /** From 1; a changed text is the next. */
  readonly version: number;
  /** Hex, of the text. */
  readonly sha256: string;
}

/** A part of the hammer price, from here to the next band, with its own premium. */
export interface PremiumBand {
  readonly fromCents: number;
  readonly percentageBps: number;
}

export const AUCTION_TYPES = ['timed', 'simulcast'] as const;

export interface AuctionRecord {
  readonly auctionId: number;
  readonly version: number;
  readonly type: (typeof AUCTION_TYPES)[number];
  /** By the name of the engine's list of formats; absent: the first of it. */
  readonly format?: string;
  readonly privacy: 'public' | 'unlisted' | 'private';
  readonly currency: string;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly staggerSeconds: number;
  /** Every pause of the auction, in order; only the last may still be open. */
  readonly pauses: readonly Pause[];
  readonly cancelled: boolean;
  readonly increments: readonly Increment[];
  readonly softClose: SoftClose;
  /** 0: no confirmation is ever required. */
  readonly confirmFactor: number;
  readonly premiumBps: number;
  /** They count instead of `premiumBps`; absent: none. */
  readonly premiumBands?: readonly PremiumBand[];
  /** Of the hammer price, in the premium, where the winning bid came online; absent: 0. */
  readonly onlineSurchargeBps?: number;
  /** Sales tax on hammer and premium, in ten-thousandths of a percent. */
  readonly taxPpm: number;
  /** Absent: there are none. */
  readonly conditions?: Conditions;
  readonly registrationMode: RegistrationMode;
  readonly requireVerified: boolean;
  /** The limit of bidders who have none of their own. */
  readonly bidLimitCents: number | null;
  /** The team that owns the auction, a personal one where a person does. */
  readonly ownerTeamId: number | null;
  readonly ownerUserId: number | null;
  /** The lots that close together; absent: each closes by itself. */
  readonly closeGroups?: readonly CloseGroup[];
  /**
   * Of the group of the lot that is being decided. The lot's actor adds it; it is no part of what is stored, and
   * absent where the lot belongs to none, or nothing has moved the group's end yet.
   */
  readonly groupNote?: GroupNote;
  /** The lots that are offered together in the saleroom; absent: each is offered alone. */
  readonly choiceGroups?: readonly ChoiceGroup[];
  /** How long an online winner of such lots may choose; absent: a minute. */
  readonly choiceSeconds?: number;
  /** As `groupNote`, of the group that the lot is offered with. */
  readonly choiceNote?: ChoiceNote;
  /**
   * The last outages of the journal that holds the auction, the oldest first. The journal adds them where it reads a
   * record; they are no part of what is stored, and absent where there were none.
   */
  readonly outages?: readonly Outage[];
}

/** When the newest outage that a record knows of was over; 0: it knows of none. */
export function lastOutageUs({ outages }: Pick<AuctionRecord, 'outages'>): number {
  return outages === undefined ? 0 : (outages.at(-1)?.toUs ?? 0);
}

export const BIDDER_STATUSES = ['pending', 'approved', 'declined', 'suspended', 'deposit_due'] as const;
export type BidderStatus = (typeof BIDDER_STATUSES)[number];

/** Bidders whom the seller has let in, whatever deposit they owe. */
export const LET_IN: readonly BidderStatus[] = ['approved', 'deposit_due'];

/**
 * `u:<user id>` for a person with an account, `x:<platform>:<external id>` for one that only a simulcast platform
 * knows.
 */
export type BidderKey = string;

export interface Bidder {
  readonly key: BidderKey;
  readonly userId: number | null;
  /** What the public sees of a bidder: the same within an auction, and meaningless outside of it. */
  readonly alias: string;
  readonly paddle: string | null;
  readonly status: BidderStatus;
  readonly limitCents: number | null;
  /** The version of the conditions that they accepted last; absent: none. */
  readonly conditionsVersion?: number;
}

export function userKey(userId: number): BidderKey {
  return `u:${userId}`;
}

/** The largest exposure that the bidder may have in this auction, or null without a limit. */
export function limitOf(record: AuctionRecord, bidder: Bidder | null): number | null {
  return bidder?.limitCents ?? record.bidLimitCents;
}

/**
 * The record once the auction is paused; no bid is accepted and nothing closes until it is resumed. What is requested
 * after an outage begins after it, also by a process whose clock is behind (rule 16).
 */
export function pausedRecord(record: AuctionRecord, nowUs: number): AuctionRecord {
  const fromUs = Math.max(nowUs, record.pauses.at(-1)?.toUs ?? 0, lastOutageUs(record));
  return { ...record, pauses: [...record.pauses, { fromUs, toUs: null }] };
}

/**
 * The record once its pause is over: the auction's end has moved by the pause's length, as those of its open lots do.
 * A pause that an outage fell into lasted beyond it, also where the process that ends it has a clock that is behind.
 */
export function resumedRecord(record: AuctionRecord, nowUs: number): AuctionRecord {
  const { fromUs } = itemAt(record.pauses, -1);
  const toUs = Math.max(nowUs, fromUs, lastOutageUs(record));
  const over: Pause = { fromUs, toUs, movedEnd: true };
  return {
    ...record,
    endsAtUs: Math.min(LAST_US, record.endsAtUs + toUs - fromUs),
    pauses: [...record.pauses.slice(0, -1), over],
  };
}

/** Since when the auction is paused, or null. */
export function pausedSinceUs(record: AuctionRecord): number | null {
  const last = record.pauses.at(-1);
  return last !== undefined && last.toUs === null ? last.fromUs : null;
}

/** Whether the auction was paused at this moment. */
export function pausedAt({ pauses }: AuctionRecord, atUs: number): boolean {
  return pauses.some(({ fromUs, toUs }) => fromUs < atUs && (toUs === null || toUs >= atUs));
}

/** The record as it was when no pause that began at `atUs` or later had been made. */
export function beforePausesFrom(record: AuctionRecord, atUs: number): AuctionRecord {
  const first = record.pauses.findIndex(({ fromUs }) => fromUs >= atUs);
  if (first < 0) return record;
  let { endsAtUs } = record;
  for (const { fromUs, toUs, movedEnd } of record.pauses.slice(first)) {
    if (toUs !== null && movedEnd) endsAtUs -= toUs - fromUs;
  }
  return { ...record, endsAtUs, pauses: record.pauses.slice(0, first) };
}

/** When a lot of this auction is due to end before any soft close, by its number. */
export function scheduledEndUs(record: AuctionRecord, lotNumber: number): number {
  return Math.min(LAST_US, record.endsAtUs + (lotNumber - 1) * record.staggerSeconds * 1_000_000);
}
