/** The catalog, as far as the engine needs it: where lots are found. */
import type { LotState } from '../lot/state.ts';
import type { LotToOpen } from './opening.ts';

/** Where a lot is to be found, as the catalog knows it. */
export interface LotLocation {
  readonly auctionId: number;
  /** Of a lot that is sold with others: the one whose journal it is decided in; absent: its own. */
  readonly hostId?: number;
  /** Not yet in the journal, though it should be: what to open it with. */
  readonly toOpen: LotToOpen | null;
  /** The final state of a lot that has left the journal after its close. */
  readonly archived: LotState | null;
}

/** The catalog, as far as the engine needs it. Null: no such lot, or a draft. */
export interface LotSource {
  find(lotId: number): Promise<LotLocation | null>;
  /** The ids of an auction's open lots, for limits on sealed bids; absent: there are none. */
  openLots?(auctionId: number): Promise<readonly number[]>;
}
