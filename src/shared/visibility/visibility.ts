/**
 * Who may see an auction, a lot and their files: the one place that decides it. Reads by id, streams, journals, bids,
 * the watchlist, media and pages call these predicates; lists, search and the map have the same in SQL
 * (`visibility-sql.ts`). A test holds the two against each other over every combination, and `docs/visibility.md` is
 * what they say.
 */

/** What is checked of an auction; the types are as wide as the columns. */
export interface AuctionFacts {
  readonly auctionStatus: string;
  readonly privacy: string;
}

export interface LotFacts extends AuctionFacts {
  readonly lotStatus: string;
}

/** What the viewer is to the auction, and to the lot. Being an admin of the service makes nobody see more. */
export interface Relation {
  /** In the team that owns the auction, whatever the role. */
  readonly isMember: boolean;
  /** Admitted as a bidder of the auction: approved, or owing only the deposit. */
  readonly isRegistered: boolean;
  /** Has accepted to be the lot's consignor. */
  readonly isConsignor: boolean;
}

export const NOBODY: Relation = { isMember: false, isRegistered: false, isConsignor: false };

/**
 * Whether it is for others than its team; one that was cancelled, as a draft or later, is, and its lots read
 * `withdrawn`.
 */
function isPublished({ auctionStatus }: AuctionFacts): boolean {
  return auctionStatus !== 'draft';
}

/** Whether the viewer may know of the auction: its page, and the lots on it. */
export function seesAuction(auction: AuctionFacts, { isMember, isRegistered }: Relation): boolean {
  if (isMember) return true;
  return isPublished(auction) && (auction.privacy !== 'private' || isRegistered);
}

/**
 * Whether `GET /auctions/{auction}` answers: for active auctions only, their own team reads the others by the
 * seller's routes.
 */
export function readsAuction(auction: AuctionFacts, viewer: Relation): boolean {
  return auction.auctionStatus === 'active' && seesAuction(auction, viewer);
}

/**
 * Whether the viewer may know of the lot: its detail, bids, journal, stream and page, watching it and bidding on it.
 */
export function seesLot(lot: LotFacts, viewer: Relation): boolean {
  if (viewer.isMember || viewer.isConsignor) return true;
  return lot.lotStatus !== 'draft' && seesAuction(lot, viewer);
}

/**
 * Whether the viewer gets a file whose address they know. The address is a secret in itself, given with what the file
 * belongs to; those of private auctions are no use to anybody else.
 */
export function seesFile({ privacy }: AuctionFacts, viewer: Relation): boolean {
  return privacy !== 'private' || viewer.isMember || viewer.isRegistered || viewer.isConsignor;
}
