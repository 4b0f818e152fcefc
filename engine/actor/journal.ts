/**
 * The port that everything durable goes through. A journal keeps, per lot, a chain of entries and the snapshot they
 * lead to, and beside them the auctions' records; it commits a lot's batch only if nobody was faster and all that the
 * batch assumed still holds. Its clock is the only one that bids are judged by. Both implementations run one contract
 * suite.
 */
import type { AuctionRecord, Bidder, BidderKey } from '../auction/record.ts';
import type { SealedEntry } from '../lot/entry.ts';
import type { ExposureChange } from '../lot/format.ts';
import type { LotState } from '../lot/state.ts';

/** A bidder's limit as a batch assumed it. */
export interface LimitCheck {
  readonly key: BidderKey;
  readonly limitCents: number;
  /** The exposure that the decisions were made on, before this batch. */
  readonly assumedCents: number;
  /** The largest that the exposure rises above `assumedCents` within the batch. */
  readonly increaseCents: number;
  /** A bid was refused for the limit: that holds only if the exposure is not lower than assumed. */
  readonly refused: boolean;
}

/** An idempotency key and the record to keep under it; `value` null only checks whether the key was used before. */
export interface IdempotencyRecord {
  readonly field: string;
  readonly value: string | null;
}

/** The note of the lot's group, as the batch assumed it and as it leaves it. */
export interface NoteCheck {
  readonly group: string;
  /** '': there is none yet. */
  readonly expected: string;
  /** Null: it stays. */
  readonly next: string | null;
  /** Lots that become due at once where the note changes: they take it over. */
  readonly lotIds: readonly number[];
  /** They become due even where the closing index has not got them; else only those that are in it. */
  readonly wakes: boolean;
}

/** Everything that one lot wants to commit at once, and everything that must hold for it. */
export interface Batch {
  readonly lotId: number;
  readonly auctionId: number;
  /** 0: the lot must not be there yet. */
  readonly expectedSequence: number;
  /**
   * The hash that the lot's last entry must have, where that was still in flight when this was decided: somebody
   * else's entry of the same number will not do. Null: what is at `expectedSequence` was confirmed.
   */
  readonly expectedPreviousHash: string | null;
  readonly recordVersion: number;
  /** When the newest outage that the record knows of was over; 0: none. */
  readonly lastOutageUs: number;
  /** The moment that the batch was decided at, by the journal's clock. */
  readonly stampUs: number;
  /**
   * The journal's clock must not have come this far, or the batch is decided again; null: nothing changes with time.
   */
  readonly validUntilUs: number | null;
  /** Null where the batch holds refusals only. */
  readonly entry: SealedEntry | null;
  /** The state that the entry leads to; read only where there is an entry. */
  readonly next: LotState;
  /**
   * When the clock next changes something about the lot; read only where there is an entry. `unchanged`: the batch
   * rests on one that has brought the same moment into the closing index.
   */
  readonly dueUs: number | null | 'unchanged';
  readonly keys: readonly IdempotencyRecord[];
  readonly limits: readonly LimitCheck[];
  readonly exposure: readonly ExposureChange[];
  /** Only where the lot closes with others. */
  readonly note?: NoteCheck;
}

export type CommitResult =
  | { readonly kind: 'committed' }
  /** Somebody else committed first; this is the lot's state now. */
  | { readonly kind: 'conflict'; readonly state: LotState }
  /** The auction's record is another one by now, or the journal has been unavailable since it was read. */
  | { readonly kind: 'record_changed' }
  /** The note of the lot's group is another one by now: this one. */
  | { readonly kind: 'note_changed'; readonly note: string }
  /** The stamp is too old, or a deadline has passed meanwhile. */
  | { readonly kind: 'clock' }
  /** Some keys were used before; these are the records under them. */
  | { readonly kind: 'replayed'; readonly records: ReadonlyMap<string, string> }
  | { readonly kind: 'exposure'; readonly actual: ReadonlyMap<BidderKey, number> }
  | { readonly kind: 'failed'; readonly fault: Error };

/**
 * Somebody with work for the journal. Its batch is prepared only when the commit goes out, so that it is full and
 * fresh.
 */
export interface BatchSource {
  readonly auctionId: number;
  /** Whether its batch is worth its own call beside one that is in flight. */
  readonly pipelined: boolean;
  /** Decides what there is to decide at `nowUs`. Null: nothing to commit after all. Must not throw. */
  prepare(nowUs: number): Batch | null;
  /** Called exactly once for each batch that was prepared. Must not throw. */
  settle(batch: Batch, result: CommitResult): void;
}

export interface BidderInAuction {
  readonly bidder: Bidder | null;
  readonly exposureCents: number;
}

export interface NewBidder {
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  /** Given where a platform brought its own; otherwise the next free number is taken. */
  readonly paddle: string | null;
}

/** What happened to an auction's record; it reaches the projection in the same commit. */
export type AuctionEvent =
  | { readonly type: 'auction_recorded'; readonly record: AuctionRecord }
  | { readonly type: 'bidder_saved'; readonly bidder: Bidder; readonly reason: string | null };

export interface Journal {
  /** A lower bound of the journal's clock. */
  nowUs(): number;
  /** When the newest outage (rule 16) that this process knows of was over, where the auction lies; 0: of none. */
  lastOutageUs(auctionId: number): number;
  /** Puts a source into its auction's next commit. */
  enqueue(source: BatchSource): void;
  /** The state of a lot; null when the journal has no such lot. */
  load(auctionId: number, lotId: number): Promise<LotState | null>;
  loadRecord(auctionId: number): Promise<AuctionRecord | null>;
  /** The note of a group of lots; '' where there is none yet. */
  loadNote(auctionId: number, group: string): Promise<string>;
  loadBidders(auctionId: number, keys: readonly BidderKey[]): Promise<Map<BidderKey, BidderInAuction>>;
  /** What is kept under an idempotency key; null: nothing is. A commit asks for itself. */
  findRecord(auctionId: number, field: string): Promise<string | null>;
  /** Whose paddle this is in the auction, or null. */
  findPaddle(auctionId: number, paddle: string): Promise<BidderKey | null>;
  /**
   * Replaces an auction's record if it is at `record.version - 1` (absent counts as 0). `unmoved` names lots of
   * the auction with the sequence that each must still be at: a change that holds only as long as nobody has bid.
   * False: it does not, or the journal has been unavailable since the record that it replaces was read.
   */
  saveRecord(record: AuctionRecord, unmoved?: ReadonlyMap<number, number>): Promise<boolean>;
  /**
   * Registers bidders as approved where they are not yet known or owe only a deposit, and gives a paddle to those
   * without one; what somebody decided of a bidder (pending, declined, suspended) stays. Does not change the record's
   * version: who decided without knowing them reads them.
   */
  register(auctionId: number, bidders: readonly NewBidder[]): Promise<Bidder[]>;
  /** Replaces a bidder's registration and moves the record's version, so that it holds for the very next bid. */
  saveBidder(auctionId: number, bidder: Bidder, reason: string | null): Promise<Bidder>;
}

/** The journal could not answer; what was sent may or may not be committed. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
}

/** The journal has no such lot (any more): what was sent to it was not recorded. */
export class LotMissing extends JournalUnavailable {
  constructor(lotId: number) {
    super(`the journal no longer has lot ${lotId}`);
  }
}

/** More work than is bounded here; nothing of it was recorded. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
