/** The events of a sale of tracts: bids name their lots, and whatever changes the choice says which bids lead then. */
import type { FloorOrder } from '../../lot/commands.ts';
import type {
  BidPlaced,
  BidVoided,
  CommonEvent,
  HammerFell,
  LotClosed,
  LotWithdrawn,
  NewEvent,
} from '../../lot/events.ts';

/** A bid that leads, as frames and answers tell of it. */
export interface LeadingBid {
  readonly bid_id: string;
  /** By number. */
  readonly lot_ids: readonly number[];
  /** For the set, or for one unit of it. */
  readonly amount: string;
  /** What it comes to for the set, where the amount is for one unit. */
  readonly total?: string;
  readonly paddle_number: string;
  readonly sequence: number;
}

/** The choice of bids that leads from here on. */
interface Leads {
  /** In the order in which they came. */
  readonly leading: readonly LeadingBid[];
  /** What they come to together. */
  readonly totalCents: number;
}

export interface ParcelsBidPlaced extends BidPlaced, Leads {
  /** By number. */
  readonly lotIds: readonly number[];
  /** For the set, or for one unit of it. */
  readonly amountCents: number;
  /** What it comes to for the set, where the amount is for one unit; null: it is for the set. */
  readonly bidTotal: string | null;
  /** Its place in the order of a simulcast platform; null: it came from none. */
  readonly floor: FloorOrder | null;
}

export interface ParcelsBidVoided extends BidVoided, Leads {}

/** One lot is withdrawn, and no bid that names it stands any more; without `lotId`, and the choice, the whole sale. */
export interface ParcelsLotWithdrawn extends LotWithdrawn, Partial<Leads> {}

/** One lot is over. */
export interface ParcelsLotClosed extends LotClosed {
  /** What bought it; null: nothing did. */
  readonly set?: {
    readonly bidId: string;
    /** By number. */
    readonly lotIds: readonly number[];
    /** For the set, or for one unit of it. */
    readonly amountCents: number;
  } | null;
}

/** What comes into the journal once the result is final, and until when that waits. */
export interface HeldSale {
  readonly untilUs: number;
  /** One of each lot that was open, by number. */
  readonly closes: readonly NewEvent<ParcelsLotClosed>[];
}

export interface ParcelsHammerFell extends HammerFell, HeldSale {}

export type ParcelsEvent =
  | CommonEvent
  | ParcelsBidPlaced
  | ParcelsBidVoided
  | ParcelsLotWithdrawn
  | ParcelsLotClosed
  | ParcelsHammerFell;
