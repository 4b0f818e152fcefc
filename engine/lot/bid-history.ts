/**
 * A lot's events as its journal has them, in order: what a void is worked out from. Whoever sends a void reads them
 * from the archive and the journal's tail and hands them in.
 */
import type { LotEvent } from './events.ts';

export interface BidHistory {
  /** The sequence of the last event. */
  readonly sequence: number;
  readonly events: readonly LotEvent[];
}
