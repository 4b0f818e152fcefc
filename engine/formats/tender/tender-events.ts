/** The events of a tender. What nobody may know yet is in them sealed; only `bids_opened` holds amounts. */
import type { Channel } from '../../lot/channels.ts';
import type { BidPlaced, CommonEvent, Sequenced } from '../../lot/events.ts';
import type { OpenedBid, Round } from './tender-state.ts';

/** A bid, sealed. */
export interface BidSealed extends Sequenced {
  readonly type: 'bid_sealed';
  readonly bidId: string;
  readonly bidder: BidPlaced['bidder'];
  readonly channel: Channel;
  readonly round: Round;
  /** Amount and salt, sealed with the lot's key. */
  readonly sealed: string;
  /** SHA-256 of both, hex. */
  readonly commitment: string;
  /** The bidder's bid that stood before; null: none did. */
  readonly replaces: string | null;
}

/** A bid that no longer stands, and stays sealed: its bidder has taken it back, or staff have voided it. */
export interface BidUnsealed extends Sequenced {
  readonly type: 'bid_unsealed';
  readonly bidId: string;
  readonly by: 'bidder' | 'staff';
  readonly reason: string | null;
}

/** The first end of a tender with a final round, whether or not anybody has bid. */
export interface FinalRoundOpened extends Sequenced {
  readonly type: 'final_round_opened';
  readonly endsAtUs: number;
  /** The keys of those who may bid once more, as JSON, sealed with the lot's key. */
  readonly finalists: string;
}

/** What stands at the end, opened, the highest first. */
export interface BidsOpened extends Sequenced {
  readonly type: 'bids_opened';
  readonly bids: readonly OpenedBid[];
}

declare module '../../lot/events.ts' {
  interface LotEvents {
    readonly bid_sealed: BidSealed;
    readonly bid_unsealed: BidUnsealed;
    readonly final_round_opened: FinalRoundOpened;
    readonly bids_opened: BidsOpened;
  }
}

/** A row of the list of bids: of a bid that is opened, or of a second chance that was taken. */
export interface TenderBidPlaced extends BidPlaced {
  readonly amountCents: number;
}

export type TenderEvent =
  | CommonEvent
  | BidSealed
  | BidUnsealed
  | FinalRoundOpened
  | BidsOpened
  | TenderBidPlaced;

/** Whether nobody but its bidder may see before the end that it has happened. */
export function isSilent({ type }: Pick<TenderEvent, 'type'>): boolean {
  return type === 'bid_sealed' || type === 'bid_unsealed';
}
