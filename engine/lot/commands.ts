/**
 * The commands of a lot. A command is a request; whether it happens is decided in `decide.ts`. Ids and salts travel
 * with the command, so that deciding it again after a conflict gives the same bid its same name.
 */
import type { BidderKey } from '../auction/record.ts';
import type { BidHistory } from './bid-history.ts';
import type { Channel } from './channels.ts';
import type { LotUnits } from './units.ts';

/** What is known of a bidder beyond the auction: from the account, at the time of the request. */
export interface BidderIdentity {
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly verified: boolean;
  readonly suspended: boolean;
  readonly teamIds: readonly number[];
  /** Teams that they left a short time ago: they cannot bid on what those sell, and see no more of it than others. */
  readonly leftTeamIds?: readonly number[];
  /** The paddle that a simulcast platform gave; null: the auction gives one. */
  readonly paddle: string | null;
}

/** The position of a simulcast event in its platform's order. */
export interface FloorOrder {
  readonly platform: string;
  readonly sequence: number;
}

/** A command on a lot that is decided with others as one sale. */
interface ToMember {
  /** The lot that it was sent to; absent: the one whose journal it is decided in. */
  readonly lotId?: number;
}

export interface PlaceBid extends ToMember {
  readonly type: 'place_bid';
  readonly bidId: string;
  readonly salt: string;
  readonly bidder: BidderIdentity;
  readonly channel: Channel;
  /** A straight bid of exactly this much; null: proxy only. */
  readonly straightCents: number | null;
  /** A ceiling; null: the straight amount is the ceiling. At least one of both is there. */
  readonly ceilingCents: number | null;
  readonly currency: string | null;
  readonly confirm: boolean;
  readonly floor: FloorOrder | null;
  /** How many pieces of the lot; absent: nothing is said of it. */
  readonly take?: number;
  /** The lot that was named, where another carries the bidding of its group. */
  readonly named?: number;
  /** The lots that it is for, all together; absent: nothing is said of it. */
  readonly lotIds?: readonly number[];
  /** It is to stand also where it does not lead; absent: nothing is said of it. */
  readonly standing?: boolean;
}

export interface BuyNow extends ToMember {
  readonly type: 'buy_now';
  readonly bidId: string;
  readonly salt: string;
  readonly bidder: BidderIdentity;
  readonly currency: string | null;
}

/** The auctioneer's decision on the floor; applied as it is. */
export interface RecordSale extends ToMember {
  readonly type: 'record_sale';
  /** Names of the row that the sale adds where no row of the buyer says what it says. */
  readonly bidId: string;
  readonly salt: string;
  readonly result: 'sold' | 'passed' | 'unsold';
  readonly hammerCents: number | null;
  readonly winner: {
    readonly key: BidderKey;
    readonly userId: number | null;
    readonly paddle: string | null;
  } | null;
  readonly currency: string | null;
  readonly floor: FloorOrder;
  /** Whether its auction still runs, so that a lot that was passed may be sold all the same. */
  readonly auctionRuns: boolean;
  /** For how long the result may be taken back before it is final; absent: it is final at once. */
  readonly heldUs?: number;
  /** The numbers of the lots that the buyer takes, of a group that is offered together; absent: nothing is said. */
  readonly choice?: readonly number[];
  /** Names of the rows of these lots, as many. */
  readonly rows?: readonly RowName[];
  /** As a bid's. */
  readonly named?: number;
}

/** How a row that a command may add is named. */
export interface RowName {
  readonly bidId: string;
  readonly salt: string;
}

/** The online winner of a group chooses lots of it. */
export interface ChooseLots {
  readonly type: 'choose_lots';
  readonly bidder: BidderIdentity;
  readonly lotIds: readonly number[];
  readonly rows: readonly RowName[];
  readonly named?: number;
}

/** The clerk takes back what the hammer has just decided (rule 24). */
export interface LiftHammer {
  readonly type: 'lift_hammer';
}

/** A sold lot is sold to somebody else: its buyer defaulted, and another bidder has taken the offer of it. */
export interface Resell {
  readonly type: 'resell';
  /** Names the row that says so; always the same for one offer, so that saying it again changes nothing. */
  readonly bidId: string;
  readonly salt: string;
  /** As bids are: for one unit, where the lot is sold by it. */
  readonly hammerCents: number;
  readonly buyer: { readonly key: BidderKey; readonly userId: number; readonly paddle: null };
}

/** Opens or closes what is due by the journal's clock; changes nothing otherwise. */
export interface Advance {
  readonly type: 'advance';
}

export interface Withdraw extends ToMember {
  readonly type: 'withdraw';
  readonly reason: string;
  /** A lot that has a bid is withdrawn by an admin only. */
  readonly byAdmin: boolean;
}

/** A seller's change of what the lot is offered for. Absent fields stay. */
export interface ChangeTerms extends ToMember {
  readonly type: 'change_terms';
  readonly salt: string;
  readonly startingBidCents?: number;
  readonly reserveCents?: number | null;
  readonly buyNowCents?: number | null;
  readonly consignorUserId?: number | null;
  readonly units?: LotUnits | null;
  /** Takes the lot out in the same step: both happen, or neither. */
  readonly withdrawal?: Pick<Withdraw, 'reason' | 'byAdmin'>;
}

/** Staff take a bid out. `history` is what the lead is computed from; it must reach to the lot's present sequence. */
export interface VoidBid {
  readonly type: 'void_bid';
  readonly bidId: string;
  readonly reason: string;
  readonly history: BidHistory;
}

/**
 * The clerk takes the last call from the floor back (rule 18). `placedAtUs` is when it was taken, by the journal's
 * clock.
 */
export interface UndoCall extends Omit<VoidBid, 'type'> {
  readonly type: 'undo_call';
  readonly placedAtUs: number;
}

/** The seller changes what a lot with bids is said to be; `amendment` is the change in RFC 8785 form. */
export interface AmendLot extends ToMember {
  readonly type: 'amend_lot';
  readonly sha256: string;
  readonly amendment: string;
}

/** A bidder takes a sealed bid of their own back. */
export interface WithdrawBid {
  readonly type: 'withdraw_bid';
  readonly bidId: string;
  readonly bidder: BidderIdentity;
}

export type BidCommand = PlaceBid | BuyNow;
export type Command =
  | BidCommand
  | RecordSale
  | ChooseLots
  | Resell
  | LiftHammer
  | Advance
  | Withdraw
  | ChangeTerms
  | VoidBid
  | UndoCall
  | WithdrawBid
  | AmendLot;
