/** The events of a lot on a falling clock: a bid says what it takes, and what one of them is sold for. */
import type { BidPlaced, BidVoided, CommonEvent } from '../../lot/events.ts';

export interface FallingBidPlaced extends BidPlaced {
  /** The price of one piece when it was placed. */
  readonly amountCents: number;
  readonly take: number;
  /** How many pieces are left then. */
  readonly leftCount: number;
}

export type FallingEvent = CommonEvent | FallingBidPlaced | BidVoided;
