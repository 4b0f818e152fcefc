/**
 * The shapes that deciding works with: what a decision is made on, and what comes out of it. Only types live here, so
 * that the handlers of the single commands and the dispatcher above them need not know each other.
 */
import type { AuctionRecord, Bidder } from '../auction/record.ts';
import type { Answer, Need, RefusalCode } from './answers.ts';
import type { LotEvent, NewEvent } from './events.ts';
import type { Explain } from './reasons.ts';
import type { LotState } from './state.ts';

export interface Context {
  readonly record: AuctionRecord;
  /** The bidder's registration in the auction; null when there is none. */
  readonly bidder: Bidder | null;
  /** The sum of the bidder's ceilings on the auction's open lots where they lead, this lot included. */
  readonly exposureCents: number;
  readonly nowUs: number;
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

export interface Decision {
  readonly events: readonly LotEvent[];
  readonly next: LotState;
  readonly answer: Answer;
  readonly limitUse: LimitUse | null;
}

/** What a handler returns: new events with the answer to be completed, a refusal, or what is missing. */
export type Verdict =
  | { readonly events: readonly NewEvent[]; readonly flags?: readonly string[] }
  | { readonly refuse: RefusalCode }
  | { readonly need: Need };
