/** A row of the board as the API and the account's stream tell it: amounts as text, times in ISO 8601. */
import { shownHead } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import type { BoardPosition, BoardStanding } from './board-position.ts';

export interface BoardMove {
  readonly lot_id: number;
  /** Of the lot's journal: a higher one is newer. */
  readonly sequence: number;
  readonly standing: BoardStanding;
  readonly status: string;
  /** Both are null while bids are sealed. */
  readonly bid_count: number | null;
  readonly current_bid: string | null;
  readonly minimum_next_bid: string;
  readonly next_amount: string | null;
  readonly max_amount: string | null;
  readonly start_time: string;
  readonly end_time: string;
  readonly total_now: string;
  readonly total_at_most: string;
  /** Where the clock moves the price. */
  readonly next_price?: string | null;
  readonly next_price_at?: string | null;
}

export function boardMove(state: LotState, position: BoardPosition): BoardMove {
  const text = (cents: number) => formatCents(cents, state.decimals);
  const textOrNull = (cents: number | null) => (cents === null ? null : text(cents));
  return {
    lot_id: state.lotId,
    sequence: shownHead(state).sequence,
    standing: position.standing,
    status: state.status,
    bid_count: position.bidCount,
    current_bid: textOrNull(position.currentCents),
    minimum_next_bid: text(position.minimumNextCents),
    next_amount: textOrNull(position.nextCents),
    max_amount: textOrNull(position.maximumCents),
    start_time: isoFromUs(state.startsAtUs),
    end_time: isoFromUs(state.endsAtUs),
    total_now: text(position.nowCents),
    total_at_most: text(position.atMostCents),
    ...position.clock,
  };
}
