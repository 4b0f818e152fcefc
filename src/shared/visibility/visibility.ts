/**
 * Who may see an auction, a lot and their files, by the rows of `policy/auction-policy.ts` and `policy/lot-policy.ts`.
 * Reads by id, streams, journals, bids, the watchlist, media and pages call these predicates; lists, search and the map
 * have the same in SQL (`visibility-sql.ts`). A test holds the two against each other over every combination, and
 * `docs/visibility.md` is what they say.
 */
import { AUCTION_POLICY, auctionState } from '../policy/auction-policy.ts';
import { LOT_POLICY, lotState } from '../policy/lot-policy.ts';
import { judge } from '../policy/policy.ts';
import { type Relation, viewerWhos } from '../policy/relations.ts';
import type { AuctionStatus } from '../statuses/auction-statuses.ts';
import type { LotRowStatus } from '../statuses/lot-statuses.ts';

/** What is checked of an auction. */
export interface AuctionFacts {
  readonly auctionStatus: AuctionStatus;
  readonly privacy: string;
  /** It was published once, whatever became of it. */
  readonly auctionPublished: boolean;
}

export interface LotFacts extends AuctionFacts {
  readonly lotStatus: LotRowStatus;
  readonly lotPublished: boolean;
}

/** Whether the viewer may know of the auction: its page, and the lots on it. */
export function seesAuction(auction: AuctionFacts, viewer: Relation): boolean {
  return judge(AUCTION_POLICY, seeing(auction), stateOf(auction), viewerWhos(viewer)) === 'allowed';
}

/**
 * Whether `GET /auctions/{auction}` answers: for active auctions only, their own team reads the others by the
 * seller's routes.
 */
export function readsAuction(auction: AuctionFacts, viewer: Relation): boolean {
  const reading = auction.privacy === 'private' ? 'read_private' : 'read';
  return judge(AUCTION_POLICY, reading, stateOf(auction), viewerWhos(viewer)) === 'allowed';
}

/**
 * Whether the viewer may know of the lot: its detail, bids, journal, stream and page, watching it and bidding on it.
 */
export function seesLot(lot: LotFacts, viewer: Relation): boolean {
  const state = lotState(lot.lotStatus, lot.lotPublished);
  return judge(LOT_POLICY, seeing(lot), state, viewerWhos(viewer)) === 'allowed';
}

function stateOf({ auctionStatus, auctionPublished }: AuctionFacts) {
  return auctionState(auctionStatus, auctionPublished);
}

function seeing({ privacy }: AuctionFacts): 'see' | 'see_private' {
  return privacy === 'private' ? 'see_private' : 'see';
}
