/**
 * The plain data that goes into and comes out of the naive model of the bidding rules, as used by the worked cases
 * and by the tests that compare the engine with the model. Money is integer cents, times are integer microseconds
 * since the epoch. Bidders are distinguished by a string of the test's choosing.
 */

export type NaiveChannel = 'online' | 'floor' | 'phone' | 'absentee';

export interface NaiveBand {
  fromCents: number;
  incrementCents: number;
}

export interface NaiveAuctionTerms {
  type: 'timed' | 'simulcast';
  currency: string;
  /** Null: the default table of rule 11. */
  increments: NaiveBand[] | null;
  softClose: { windowSeconds: number; extensionSeconds: number; maxExtensions: number | null } | null;
  /** 0: never ask for confirmation. */
  confirmFactor: number;
  ownerUserIds: number[];
  registration: {
    mode: 'open' | 'approval' | 'deposit';
    requireVerified: boolean;
    bidLimitCents: number | null;
    hasConditions?: boolean;
  };
}

export interface NaiveLotTerms {
  lotId: number;
  startingBidCents: number;
  reserveCents: number | null;
  buyNowCents: number | null;
  startsAtUs: number;
  endsAtUs: number;
  consignorUserId: number | null;
  /** Ten-thousandths of a unit where amounts are for one; absent: they are for the lot. */
  units?: number;
  /** The lots of one name close together. */
  group?: string;
}

export interface NaiveBidder {
  userId: number;
  verified: boolean;
  suspended: boolean;
  registration: {
    status: 'pending' | 'approved' | 'declined' | 'suspended';
    depositPaid: boolean;
    bidLimitCents: number | null;
    hasAccepted?: boolean;
  } | null;
}

export interface NaiveBid {
  kind: 'bid';
  lotId: number;
  atUs: number;
  bidId: string;
  who: string;
  straightCents: number | null;
  ceilingCents: number | null;
  currency: string | null;
  confirm: boolean;
  channel: NaiveChannel;
}

export interface NaiveBuyNow {
  kind: 'buyNow';
  lotId: number;
  atUs: number;
  bidId: string;
  who: string;
  currency: string | null;
}

export type NaiveResult = 'sold' | 'passed' | 'unsold';

export type NaiveInput =
  | NaiveBid
  | NaiveBuyNow
  | { kind: 'void'; lotId: number; atUs: number; bidId: string }
  /** The clerk takes a call back. What stays of it is noted when it is taken: a price, and who holds it. */
  | {
      kind: 'undo';
      lotId: number;
      atUs: number;
      bidId: string;
      keptCents?: number;
      keptBy?: string | null;
    }
  | { kind: 'reserve'; lotId: number; atUs: number; toCents: number | null }
  | { kind: 'close'; lotId: number; atUs: number }
  | { kind: 'withdraw'; lotId: number; atUs: number }
  | {
      kind: 'hammer';
      lotId: number;
      atUs: number;
      /** Names the row that the sale adds, where no row of the buyer says what it says. */
      bidId: string;
      result: NaiveResult;
      hammerCents: number | null;
      who: string | null;
    }
  /** Nobody could reach the journal from then until now. */
  | { kind: 'outage'; atUs: number; fromUs: number }
  /** What an outage does to one lot; never requested, only kept. */
  | { kind: 'staysOpen'; lotId: number; atUs: number }
  | { kind: 'pause'; atUs: number }
  | { kind: 'resume'; atUs: number };

/**
 * An input that was accepted, with what cannot be found again by replaying: the end it moved and how the lot closed.
 */
export interface NaiveEntry {
  input: NaiveInput;
  atUs: number;
  endMovedToUs: number | null;
  closedAs: NaiveResult | 'withdrawn' | null;
}

export interface NaiveWorld {
  auction: NaiveAuctionTerms;
  lots: NaiveLotTerms[];
  bidders: Record<string, NaiveBidder>;
  log: NaiveEntry[];
}

export type NaiveOutcome = 'leading' | 'leading_reserve_not_met' | 'outbid' | 'max_raised' | 'won';

export interface NaiveLotView {
  currentCents: number;
  minimumNextCents: number;
  bidCount: number;
  reserveMet: boolean;
  leader: string | null;
  /** The leader's ceiling: secret in the service, bare here. */
  ceilingCents: number;
  endsAtUs: number;
  status: 'open' | 'withdrawn' | NaiveResult;
  /** What a sold lot was sold for, all of it. */
  hammerCents: number | null;
}

export interface NaiveRow {
  bidId: string;
  who: string;
  listedCents: number;
  outcome: NaiveOutcome;
  status: 'leading' | 'outbid' | 'won' | 'voided';
}

export type NaiveFlag = 'not_the_leader' | 'hammer_below_current' | 'reserve_not_met';

export type NaiveAnswer =
  | {
      refused: null;
      /** Of a bid its outcome; of anything else what was done. */
      outcome:
        | NaiveOutcome
        | NaiveResult
        | 'voided'
        | 'reserve_changed'
        | 'withdrawn'
        | 'paused'
        | 'resumed'
        | 'outage'
        | 'duplicate';
      /** The row's amount, for a bid. */
      listedCents: number | null;
      /** The bidder's own ceiling after the bid. */
      bidderCeilingCents: number | null;
      extended: boolean;
      flags: NaiveFlag[];
    }
  | { refused: string };
