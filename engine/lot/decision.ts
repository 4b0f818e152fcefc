/**
 * The shapes that deciding works with: what a decision is made on, and what comes out of it. Only types live here, so
 * that the handlers of the single commands and the dispatcher above them need not know each other.
 */
import type { AuctionRecord, Bidder } from '../auction/record.ts';
import type { Digest } from '../digest.ts';
import type { Answer, Need, RefusalCode } from './answers.ts';
import type { LotEvent, NewEvent, Sequenced } from './events.ts';
import type { Explain } from './reasons.ts';
import type { Seals } from './seals.ts';
import type { ShownFields } from './shown-fields.ts';
import type { LotState } from './state.ts';

export interface Context {
  readonly record: AuctionRecord;
  /** The bidder's registration in the auction; null when there is none. */
  readonly bidder: Bidder | null;
  /** The bidder's exposure over the auction's open lots, this lot included but where bids are sealed. */
  readonly exposureCents: number;
  readonly nowUs: number;
  /** For formats with sealed bids; absent: nothing can be sealed or opened. */
  readonly seals?: Seals;
  readonly digest?: Digest;
  /** Receives each rule that applies, for explanations; absent when a bid is placed. */
  readonly explain?: Explain;
}

/** What an accepted or refused bid assumed of its bidder's limit; the commit checks it again. */
export interface LimitUse {
  readonly limitCents: number;
  /** By how much the bid would raise (or raises) the bidder's exposure. */
  readonly increaseCents: number;
  readonly refused: boolean;
}

export interface Decision<S = LotState, E = LotEvent> {
  readonly events: readonly E[];
  readonly next: S;
  readonly answer: Answer;
  readonly limitUse: LimitUse | null;
}

export interface Needed {
  readonly need: Need;
}

/** A refusal; `fields` are what the format tells the bidder with it, beside price and end. */
export interface Refuse {
  readonly refuse: RefusalCode;
  readonly fields?: ShownFields;
  /** Another lot decides this; null: which one is to be found anew. */
  readonly carrier?: number | null;
}

/** What a handler returns: new events with the answer to be completed, a refusal, or what is missing. */
export type Verdict<E extends Sequenced = LotEvent> =
  | {
      readonly events: readonly NewEvent<E>[];
      readonly flags?: readonly string[];
      /** Other lots that take over what these events say. */
      readonly wakes?: readonly number[];
    }
  | Refuse
  | Needed;

/** What became of a bid: its event and what follows on it in the same entry, a refusal, or what is missing. */
export type BidDecision<E extends Sequenced = LotEvent, B extends E = E> =
  | Needed
  | (Refuse & { readonly limitUse: LimitUse | null })
  | {
      readonly event: B;
      /** Only where there is something: a bid that ends the lot. */
      readonly after?: readonly NewEvent<E>[];
      readonly limitUse: LimitUse | null;
    };
