/** How a run plays a format: its lots as they are drawn, what people bid on them, and who judges it. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import type { Dice } from '../dice.ts';
import type { Plan, PlannedLot } from '../plan.ts';
import type { Referee } from './referee.ts';

export interface Drawn {
  readonly record: AuctionRecord;
  readonly lots: readonly PlannedLot[];
  /** When the last of them ends, had nothing held it up. */
  readonly lastEndUs: number;
}

/** What a bid says beside its key. */
export interface Wanted {
  readonly amount: number;
  readonly take?: number;
  readonly lotIds?: readonly number[];
  readonly standing?: boolean;
}

/** What a bidder sees of a lot, some time ago. */
export interface Sight {
  readonly lot: PlannedLot;
  /** Null: it is not in the journal yet. */
  readonly state: LotState | null;
  readonly record: AuctionRecord;
  /** The least that would be taken. */
  readonly priceCents: number;
  /** Since the auction began. */
  readonly sinceUs: number;
}

export interface Played {
  readonly name: string;
  /** Makes of an auction and its lots what the format sells. */
  draw(dice: Dice, record: AuctionRecord, lots: readonly PlannedLot[]): Drawn;
  wish(dice: Dice, sight: Sight): Wanted;
  /** `centsOf`: what was bid under this id. */
  referee(plan: Pick<Plan, 'lots'>, record: AuctionRecord, centsOf: (bidId: string) => number): Referee;
}

export const NO_SOFT_CLOSE = { windowSeconds: 0, extensionSeconds: 0, maxExtensions: null };

export const SECOND = 1_000_000;
export const text = (cents: number) => (cents / 100).toFixed(2);
