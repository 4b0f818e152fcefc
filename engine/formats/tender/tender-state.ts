/**
 * A lot that is sold by tender: what every lot has, the bids that stand, sealed, and what came of opening them. Read
 * outside this format only through its views.
 */
import type { BidderKey } from '../../auction/record.ts';
import type { Channel } from '../../lot/channels.ts';
import type { LotState } from '../../lot/state.ts';

/** What the seller has set. */
export interface TenderSettings {
  readonly mayLower: boolean;
  readonly mayWithdraw: boolean;
  readonly pays: 'own' | 'second';
  /** So many of the highest may bid once more; null: there is no final round. */
  readonly finalRound: number | null;
  readonly finalSeconds: number;
}

/** 1: until the first end. 2: the final round. */
export type Round = 1 | 2;

/** A bid that nobody but its bidder knows the amount of. */
export interface SealedBid {
  readonly bidId: string;
  readonly sequence: number;
  readonly key: BidderKey;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
  readonly channel: Channel;
  readonly round: Round;
  /** Amount and salt, sealed with the lot's key. */
  readonly sealed: string;
  /** Of the entry that holds it; 0 and '' until that is sealed. */
  readonly placedAtUs: number;
  readonly hash: string;
}

/** A bid once it is opened. */
export interface OpenedBid extends Omit<SealedBid, 'sealed'> {
  readonly cents: number;
  readonly salt: string;
  /** From 1; null: its bidder has replaced it in the final round. */
  readonly rank: number | null;
}

export interface TenderState extends LotState, TenderSettings {
  /** The lot's key, sealed. */
  readonly lotKey: string;
  readonly round: Round;
  /** Those that stand, in the order in which they came to. Empty once they are opened. */
  readonly bids: readonly SealedBid[];
  /** First bids of finalists that they have replaced. */
  readonly firsts: readonly SealedBid[];
  /** The keys of those who may bid in the final round, as JSON, sealed with the lot's key; null: nobody yet. */
  readonly finalists: string | null;
  /** Whether the bids are opened; then the highest of them, as far as there is one. */
  readonly isOpened: boolean;
  readonly top: Pick<OpenedBid, 'bidId' | 'key' | 'userId' | 'alias' | 'paddle' | 'cents'> | null;
  /** The second highest amount; null: there is none. */
  readonly secondCents: number | null;
  /** What its sequence would be if nobody had bid, and when something last happened that is no bid. */
  readonly shownSequence: number;
  readonly shownAtUs: number;
}

/** The bid of a bidder that stands. */
export function ownBidOf({ bids }: Pick<TenderState, 'bids'>, key: BidderKey): SealedBid | undefined {
  return bids.find((bid) => bid.key === key);
}
