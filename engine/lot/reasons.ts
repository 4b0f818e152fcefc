/**
 * Why a decision came out as it did: a step for each rule that had a say, with the figures that it used. The steps are
 * made where the decision is, and only for an explanation (`Context.explain`); otherwise nothing of this is built.
 */

export type Step =
  | ({ readonly rule: 1; readonly bidCents: number; readonly minimumCents: number } & Before)
  | {
      readonly rule: 2;
      readonly straightCents: number | null;
      readonly startingBidCents: number;
      readonly priceCents: number;
    }
  | {
      readonly rule: 3;
      readonly straightCents: number | null;
      readonly ceilingCents: number;
      readonly beatenCents: number;
      readonly minimumNextCents: number;
      readonly priceCents: number;
    }
  | {
      readonly rule: 4;
      readonly ceilingCents: number;
      readonly leaderCents: number;
      readonly incrementCents: number;
      readonly priceCents: number;
    }
  | {
      readonly rule: 5;
      /** The straight amount of a leader who bids against nobody; null: the ceiling is raised. */
      readonly straightCents: number | null;
      readonly fromCents: number;
      readonly ceilingCents: number;
      readonly priceCents: number;
    }
  | {
      readonly rule: 6;
      readonly reserveCents: number;
      readonly beforeCents: number;
      readonly priceCents: number;
    }
  | { readonly rule: 7; readonly nowUs: number; readonly endsAtUs: number; readonly byFloor: boolean }
  | SoftCloseStep
  | { readonly rule: 13; readonly priceCents: number; readonly hadBids: boolean }
  /** A second chance that was taken. */
  | { readonly rule: 10; readonly hammerCents: number }
  | { readonly rule: 14; readonly hammerCents: number }
  /** The end that the bid has moved is that of the whole group. */
  | { readonly rule: 20; readonly group: string; readonly endsAtUs: number }
  /** What its buyer has chosen of the lots that were offered together. */
  | { readonly rule: 25; readonly hammerCents: number }
  | FallingStep
  | TenderStep
  | ParcelsStep;

/** The price that a minimum was reckoned from; null before the first bid. */
interface Before {
  readonly currentCents: number | null;
}

export interface SoftCloseStep {
  readonly rule: 8;
  readonly leftUs: number;
  readonly windowSeconds: number;
  readonly extensionSeconds: number;
  readonly maxExtensions: number | null;
  readonly extensionCount: number;
  readonly endsAtUs: number;
  /** The new end; null where the end stays. */
  readonly movedToUs: number | null;
}

/** What a falling price was, and by which clock. */
export interface FallingStep {
  readonly rule: 21;
  readonly priceCents: number;
  readonly nowUs: number;
  readonly startsAtUs: number;
  readonly startingBidCents: number;
  readonly stepCents: number;
  readonly stepSeconds: number;
  readonly floorCents: number;
}

/** What a bid of a tender came to once it was opened. */
export interface TenderStep {
  readonly rule: 22;
  readonly bidCents: number;
  /** From 1; null: its bidder replaced it in the final round. */
  readonly rank: number | null;
  readonly count: number;
  /** What the lot was sold for, as bids are; null: it was not. */
  readonly paidCents: number | null;
  readonly pays: 'own' | 'second';
  readonly secondCents: number | null;
}

/** Whether a bid on a set of lots leads, and what it is up against. */
export interface ParcelsStep {
  readonly rule: 23;
  readonly lotNumbers: readonly number[];
  readonly bidCents: number;
  /** The least that was taken for the set when the bid came. */
  readonly minimumCents: number;
  /** Null: it does not stand any more. */
  readonly found: {
    readonly leads: boolean;
    /** The least with which it would lead. */
    readonly priceCents: number;
    /** The bids that lead in its place; none where it leads. */
    readonly beatenBy: readonly string[];
  } | null;
}

/** Takes the steps in the order in which the rules were applied. */
export type Explain = (step: Step) => void;
