/**
 * What one segment of a shard's log comes to: the rows that are to be written for it, collected in memory. `fold.ts`
 * fills pending writes, `write.ts` writes them in one transaction.
 */
import type { AuctionRecord, Bidder } from '../../../engine/auction/record.ts';
import type { EntryTrace } from '../../../engine/lot/entry.ts';
import type { BidOutcome } from '../../../engine/lot/events.ts';
import type { Sale } from '../../../engine/lot/format.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import type { BidFact, BidRun } from '../../events/bid-runs.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import type { SaleTerms } from '../../shared/sale-amounts.ts';
import type { JournaledAmendment } from '../records/amendments.ts';
import type { Announcement } from './lot-announcements.ts';

export interface EntryRow {
  readonly lot_id: number;
  readonly sequence: number;
  readonly first_sequence: number;
  readonly recorded_at_us: number;
  readonly hash: string;
  readonly previous_hash: string;
  readonly public_text: string;
  readonly private_text: string;
  readonly traces: readonly EntryTrace[] | null;
}

export interface BidRow {
  readonly bid_id: string;
  readonly lot_id: number;
  readonly auction_id: number;
  /** The lots that it is for, where they are sold together: then `lot_id` hosts them; null: it is for that one. */
  readonly lot_ids: unknown;
  readonly sequence: number;
  readonly user_id: number | null;
  readonly straight_cents: number | null;
  readonly ceiling_cents: number;
  readonly placed_at_us: number;
  readonly channel: string;
  readonly bidder_key: string;
  readonly alias: string;
  readonly paddle_number: string;
  readonly entry_hash: string;
  amount_cents: number;
  outcome: BidOutcome;
  listed: boolean;
  voided: boolean;
  void_reason: string | null;
}

/** What a void changes about a bid that was projected before; absent fields stay. */
export interface BidChange {
  readonly bid_id: string;
  amount_cents?: number;
  outcome?: BidOutcome;
  voided?: boolean;
  void_reason?: string;
}

/** A lot as far as it has been projected. */
export interface KnownLot {
  readonly state: LotState;
  readonly entryCount: number;
}

/** A lot that has just ended as sold, passed or unsold; it does so once. */
/** What one buyer owes of a lot that was sold. */
export interface ClosedSale extends Sale {
  /** Without the surcharge on online bids until `chargeOnline` has added it. */
  premiumCents: number;
  taxCents: number;
}

export interface ClosedLot {
  readonly lotId: number;
  readonly auctionId: number;
  readonly lotNumber: number;
  readonly status: 'sold' | 'passed' | 'unsold';
  readonly closedAtUs: number;
  readonly hammerCents: number | null;
  /** The auction's. */
  readonly terms: SaleTerms;
  /** Nobody where it was not sold, or to somebody whom the floor has not named. */
  readonly sales: readonly ClosedSale[];
  readonly currency: string;
  readonly state: LotState;
  /** The data of the lot's `lot.sold` or `lot.passed` event, before it is written: a hook adds what it has made. */
  readonly eventData: Record<string, unknown>;
}

export interface SavedBidder {
  readonly auctionId: number;
  readonly bidder: Bidder;
  readonly reason: string | null;
}

/** A run of bids that is not full. */
export type OpenRun = BidRun & { readonly bids: BidFact[]; readonly leaders: Set<number> };

export interface PendingWrites {
  readonly entries: EntryRow[];
  readonly bids: Map<string, BidRow>;
  readonly bidChanges: Map<string, BidChange>;
  readonly lots: Map<number, KnownLot>;
  readonly records: Map<number, AuctionRecord>;
  /** The records that lots are judged by, whether or not they are written here. */
  readonly newestRecords: Map<number, AuctionRecord>;
  readonly bidders: Map<string, SavedBidder>;
  readonly events: (OutboxEvent | BidRun)[];
  /** Runs of `events` that the next bid of their lot joins. */
  readonly openRuns: Map<number, OpenRun>;
  readonly closed: ClosedLot[];
  readonly amendments: JournaledAmendment[];
  readonly announcements: Announcement[];
  /** Auctions of which a lot has opened, and of which a lot has ended. */
  readonly opened: Set<number>;
  readonly ended: Set<number>;
}

export function noPendingWrites(): PendingWrites {
  return {
    entries: [],
    bids: new Map(),
    bidChanges: new Map(),
    lots: new Map(),
    records: new Map(),
    newestRecords: new Map(),
    bidders: new Map(),
    events: [],
    openRuns: new Map(),
    closed: [],
    amendments: [],
    announcements: [],
    opened: new Set(),
    ended: new Set(),
  };
}
