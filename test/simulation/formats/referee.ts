/**
 * A referee decides by naive rules of a format whether what a run wrote into its journal, and every refusal, was right.
 * It is handed the log in its order.
 */
import type { AuctionEvent } from '../../../engine/actor/journal.ts';
import type { Outage } from '../../../engine/auction/record.ts';
import type { Refused } from '../../../engine/lot/answers.ts';
import type { BidCommand } from '../../../engine/lot/commands.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';

export interface Refusal {
  readonly id: number;
  readonly auctionId: number;
  readonly lotId: number;
  readonly command: BidCommand;
  readonly answer: Refused;
  readonly fromFrame: number;
  readonly toFrame: number;
  /** The earliest and the latest moment that the journal may have confirmed it at. */
  readonly fromUs: number;
  readonly toUs: number;
}

/** The referee of one auction. */
export interface Referee {
  /** An outage was noted. */
  outlast(outage: Outage): void;
  /** The auction's record or one of its bidders changed. */
  follow(event: AuctionEvent): void;
  /** What of an entry is to be replayed, event by event. */
  eventsOf(events: readonly LotEvent[]): readonly LotEvent[];
  /** Applies an event of the journal of a lot; returns how it differs from the rules, or null. */
  replay(lotId: number, event: LotEvent, atUs: number): string | null;
  /** The moments at which a refusal has to be tried: a decision reads the same from one to the next. */
  momentsOf(refusal: Refusal): readonly number[];
  /** Whether the rules refuse it then, as things stand. */
  isRight(refusal: Refusal, atUs: number): boolean;
}

export function unequal(what: string, got: unknown, wanted: unknown): string | null {
  return got === wanted ? null : `${what} is ${got}, the naive rules come to ${wanted}`;
}
