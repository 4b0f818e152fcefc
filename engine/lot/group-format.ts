/** What a format says of lots that belong together: that close, are sold or are offered with others. */
import type { LotGroup } from '../auction/close-groups.ts';
import type { AuctionRecord, BidderKey } from '../auction/record.ts';
import type { ShownFields } from './shown-fields.ts';

/**
 * Lots of a group have one note beside their journals. Each commit of an open one checks that the note is as the
 * decision assumed, and may replace it.
 */
export interface GroupedLots<S, E> {
  /** The group that the lot closes or is offered with; null: it is alone, or over. */
  groupOf(state: S, record: AuctionRecord): LotGroup | null;
  /** The record as the lot is judged by, with its group's note; '': there is none yet. */
  judgedBy(record: AuctionRecord, group: LotGroup, note: string): AuctionRecord;
  /** The note after a batch that has led to `next`; null: it stays. */
  noteAfter(next: S, events: readonly E[], record: AuctionRecord, nowUs: number): NextNote | null;
  /** The note of a group as its lots' journals have it, where there is none any more; null: there was none. */
  noteOf(states: readonly S[]): string | null;
}

export interface NextNote {
  readonly text: string;
  /** Lots that become due at once, whatever the closing index has of them; absent: all that are in it. */
  readonly wakes?: readonly number[];
}

/**
 * Several lots with one state and one journal, which are those of one of them. Only that state is decided on and
 * stored; whoever reads what became of one lot turns it to face that lot.
 */
export interface Members<S> {
  /** All of them, by their numbers. */
  idsOf(state: S): readonly number[];
  /** The state with one lot's own in the fields that every lot has. Throws where it is none of them. */
  faceOf(state: S, lotId: number): S;
  /** The whole sale, as answers show it. */
  board(state: S): ShownFields;
  /** What a bid on these lots together would come up against; null: one of them is not for sale any more. */
  quote(state: S, lotIds: readonly number[], record: Pick<AuctionRecord, 'increments'>): ShownFields | null;
  /** What the bids that lead come to together: the sum that the floor sells for. */
  totalOf(state: S): number;
  /** What a bidder would buy, and for how much in all, were this the end. */
  buyingCents(state: S, key: BidderKey): number;
  /** The newest call from the floor that stands; null: none does. */
  lastCall(state: S): FloorCall | null;
}

/** A bid that was called from the floor, on several lots together. */
export interface FloorCall {
  readonly bidId: string;
  /** By number. */
  readonly lotIds: readonly number[];
}

/** Of a group of lots that are offered together one carries the bidding. */
export interface OfferedLots<S> {
  /** Whether the lot is offered with others. */
  isOffered(state: S): boolean;
  /** The lot as it is shown: with the bidding of the one that carries it. */
  shownWith(state: S, carrier: S): S;
  /** The sequence at which the bidding has begun anew; 0: it is the first. */
  since(state: S): number;
  /** Who is choosing by the bidding on this lot; null: nobody. */
  choosing(state: S): Choosing | null;
}

/** The hammer has fallen on a group, and what it has fallen on is not final yet. */
export interface Choosing {
  readonly userId: number | null;
  readonly paddle: string;
  readonly hammerCents: number;
  readonly untilUs: number;
  /** What was chosen with the hammer; null: its winner chooses. */
  readonly numbers: readonly number[] | null;
  /** Until when the clerk may take the hammer back; 0: not at all. */
  readonly liftUntilUs: number;
}
