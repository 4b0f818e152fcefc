/** Who leads a lot with rising bids, up to which ceiling. */
import type { BidderKey } from '../../auction/record.ts';

/** Who leads. Only this bidder may see `ceilingCents`. */
export interface Leader {
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  readonly ceilingCents: number;
  /** The leader's newest row in the public list. */
  readonly bidId: string;
  /** What that row reads; absent where the journal is older than this field. */
  readonly listedCents?: number;
}
