/**
 * A format is a way to sell: what its bids do, when its lots end, and what is shown of them. It is one value that
 * lies in a folder of `engine/formats`; actors, journal, batches, clock, projection, streams and pages work through
 * this interface and know no format by name. Everything in it is pure.
 *
 * `S` is the format's state, `E` its events. A caller hands a format only states and events of its own: the list of
 * formats finds it by the state's `format`.
 */
import type { AuctionRecord, BidderKey } from '../auction/record.ts';
import type { Decimals } from '../money.ts';
import type { BidHistory } from './bid-history.ts';
import type { Command } from './commands.ts';
import type { Commit } from './common-events.ts';
import type { Context, Decision, Needed } from './decision.ts';
import type { BidPlaced, CommonEvent, LotEvent, NewEvent, Sequenced } from './events.ts';
import type { GroupedLots, Members, OfferedLots } from './group-format.ts';
import type { Step } from './reasons.ts';
import type { Seals } from './seals.ts';
import type { ShownFields } from './shown-fields.ts';
import type { LotView, Sight } from './sight.ts';
import type { LotState, Winner } from './state.ts';

export interface Format<S extends LotState = LotState, E extends Sequenced = LotEvent> {
  /** As auctions name it, and the journal of every format but the first. */
  readonly name: string;
  /** Its own rule in docs/rules.md, by the number; absent: its rules are many. */
  readonly rule?: number;
  /** A lot before its first event. */
  readonly unscheduled: S;

  /** Decides a command at the context's moment. */
  decide(state: S, command: Command, context: Context): Decision<S, E> | Needed;
  evolve(state: S, event: E): S;
  /** The state once the events that led to it are in an entry. */
  withEntry(state: S, entry: Pick<LotState, 'hash' | 'recordedAtUs'>): S;

  /** When a lot starts and ends at first, before its first event. */
  firstTimes(
    lot: { readonly lotId: number; readonly lotNumber: number; readonly settings?: ShownFields },
    record: AuctionRecord,
  ): LotTimes;
  /** What a lot must first take over from its auction or from the clock before anything is decided on it. */
  catchUp(state: S, record: AuctionRecord, nowUs: number): readonly NewEvent<E | CommonEvent>[];

  /** How lots are decided that close with others; absent: no lot of the format does. */
  readonly grouped?: GroupedLots<S, E>;

  /** How several lots are sold as one; absent: each is decided by itself. */
  readonly members?: Members<S>;

  /** How lots are shown that are offered with others; absent: none of the format is. */
  readonly offered?: OfferedLots<S>;

  /** How bids are kept secret until they are opened; absent: they are public at once. */
  readonly sealed?: SealedFormat<S, E>;

  /** The clock moves the price of an open lot, which is what would be taken now; absent: bids do. */
  readonly movesByClock?: true;
  /** The least that would be taken now. */
  minimumNextCents(state: S, record: Pick<AuctionRecord, 'increments'>, nowUs: number): number;
  /** The next moment at which the clock changes something about the lot; null: only people do. */
  dueUs(state: S, record: AuctionRecord): number | null;
  /** The moment from which the commands of a batch that is decided now would be decided otherwise; null: never. */
  validUntilUs(state: S, record: AuctionRecord, nowUs: number): number | null;

  /** What a bidder may have to pay for the lot by what stands now: counted against their limit in the auction. */
  exposureOf(state: S, key: BidderKey): number;
  /** By how much the exposure of each bidder differs from one state to the other. */
  exposureChanges(before: S, after: S): readonly ExposureChange[];

  readonly codec: Codec<S, E>;
  /** The public form of an event as canonical JSON (RFC 8785). */
  publicEvent(event: E, decimals: Decimals, commit: Commit): string;

  view(state: S, sight: Sight): LotView;
  /**
   * Whose bids lead now and may be overtaken, the first of them first. For the projection, and for telling those who
   * are. Who has bought a part of the lot for good leads nothing.
   */
  leadersOf(state: S): readonly Leading[];
  /** Who has bought what of a sold lot: each is billed by itself. Nobody where the floor has not said to whom. */
  salesOf(state: S): readonly Sale[];
  /** The bids that an event which is none adds to the list, oldest first; null, or absent: it adds none, ever. */
  placedBy?(event: E): readonly PlacedBid<E & BidPlaced>[] | null;
  /** A bid as it was placed, for its row and its frame in the streams. */
  readBid(event: E & BidPlaced): BidReading;
  /** How a row of the list of bids stands, and what its bidder may know of it. */
  readRow(state: S, row: RowToRead): RowReading;

  /** What remains of the lot's standing where nobody led: a guess where entries are missing. */
  withoutLead(state: S): S;
  /** The highest amount that somebody has bid in this history or left as a ceiling; null: none. */
  highestBid(history: BidHistory, key: BidderKey): number | null;
  /** The secrets that may be told: all those of one bidder, or, with null, those that are open to everybody. */
  openings(events: readonly E[], ownerUserId: number | null): Openings;
  /** Decides a bid of the history once more, for its reasons; null: it is not there. */
  explain(history: readonly PastEntry<E>[], bidId: string, record: AuctionRecord): ExplainedBid | null;
  /** Whether a result shows that is not final: it may be taken back. Absent: none ever does. */
  isHeld?(state: S): boolean;
  /** Whether the rules make of `before` what the event says; calls `judge.fail` where they do not. */
  check(before: S, event: E, judge: Judge<E>): void;
}

/** A bid of the list, as its entry would have had it. */
export interface PlacedBid<B extends BidPlaced = BidPlaced> {
  readonly event: B;
  readonly recordedAtUs: number;
  readonly hash: string;
}

/**
 * Bids that only their bidders know of. Amounts are sealed wherever they are kept; a sequence and a moment that count
 * only what everybody may see take the place of the journal's wherever they would show that somebody has bid.
 */
export interface SealedFormat<S, E> {
  /** Whether nobody may see before the bids are opened that it has happened. */
  isSilent(event: E): boolean;
  /** The lot's key, sealed. */
  keyOf(state: S): string;
  /** What a bidder may open of their own; null: nothing is sealed any more. */
  ownOf(state: S, viewer: BidderKey): OwnSealed | null;
  /** The last sequence and moment that show. */
  shownAt(state: S): { readonly sequence: number; readonly recordedAtUs: number };
  isOpened(state: S): boolean;
  /** The accounts of those whose bids stand; of nobody once they are opened. */
  biddersOf(state: S): readonly number[];
  /** Whether who has bid may bid once more from this event on. */
  opensNextRound(event: E): boolean;
  /**
   * What a bidder may have to pay for the lot; null: the key is not at hand. What the journal counts for a bidder
   * instead is how often this has changed, so that a commit can check that it has not.
   */
  exposureOf(state: S, key: BidderKey, seals: Seals): number | null;
}

export interface OwnSealed {
  readonly lotKey: string;
  /** Who is in the final round, sealed; '': nobody; null: it has not begun. */
  readonly finalists: string | null;
  readonly bid: {
    readonly bidId: string;
    readonly sequence: number;
    readonly sealed: string;
    readonly placedAtUs: number;
    readonly hash: string;
    readonly paddle: string;
    readonly alias: string;
    readonly channel: string;
  } | null;
}

export interface LotTimes {
  readonly startsAtUs: number;
  readonly endsAtUs: number;
}

export interface ExposureChange {
  readonly key: BidderKey;
  readonly deltaCents: number;
}

/** How a format's journal and snapshots are stored: one line of JSON each. */
export interface Codec<S, E> {
  encodeEvents(events: readonly E[]): string;
  decodeEvents(text: string): E[];
  encodeSnapshot(state: S): string;
  /** Takes the parsed array. */
  decodeSnapshot(row: readonly unknown[]): S;
}

export interface Leading {
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly paddle: string;
  readonly bidId: string;
}

export interface Sale {
  readonly winner: Winner;
  /** The bid that won; null: the buyer did not lead. */
  readonly bidId: string | null;
  readonly hammerCents: number;
  /** How many pieces of the lot; absent: all of it. */
  readonly take?: number;
}

export const ROW_STATUSES = ['leading', 'outbid', 'won', 'voided', 'sealed', 'standing'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

export interface BidReading {
  /** The row's amount. */
  readonly listedCents: number;
  readonly straightCents: number | null;
  readonly ceilingCents: number;
  readonly status: RowStatus;
  /** What the bidder alone is told: how far they go now. */
  readonly ownCeilingCents: number;
  readonly fields?: ShownFields;
  /** Of the lot, with the bid. */
  readonly lotFields?: ShownFields;
}

export interface RowToRead {
  readonly bidId: string;
  readonly userId: number | null;
  readonly voided: boolean;
  readonly ceilingCents: number;
}

export interface RowReading {
  readonly status: RowStatus;
  readonly ownCeilingCents: number;
  readonly fields?: ShownFields;
}

export interface PastEntry<E> {
  readonly recordedAtUs: number;
  readonly events: readonly E[];
}

/** A secret amount with the salt of its commitment. */
export interface OpenedSecret {
  readonly sequence: number;
  readonly kind: 'reserve' | 'ceiling';
  readonly bidId: string | null;
  readonly salt: string;
  readonly cents: number;
}

export interface Openings {
  /** Whether the lot is over: before that nothing but one's own is opened. */
  readonly closed: boolean;
  readonly secrets: readonly OpenedSecret[];
}

/** A bidder's ceiling at the time of an explained bid. */
export interface KnownCeiling {
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly ceilingCents: number;
}

export interface ExplainedBid {
  readonly sequence: number;
  readonly own: KnownCeiling;
  /** Who led before it. */
  readonly rival: KnownCeiling | null;
  readonly steps: readonly Step[];
  /** What the format says beside them. */
  readonly fields?: ShownFields;
}

/** What an event is judged by, beside the state before it. */
export interface Judge<E> {
  readonly record: AuctionRecord;
  readonly recordedAtUs: number;
  /** Every event before it, the oldest first. */
  readonly past: readonly E[];
  /** A second chance is being taken: what it adds is judged by nothing that a bid is judged by. */
  readonly isSecondChance: boolean;
  readonly commit: Commit;
  readonly fail: (what: string) => never;
  /** Fails where two JSON values differ. */
  readonly expectSame: (what: string, wanted: unknown, found: unknown) => void;
}
