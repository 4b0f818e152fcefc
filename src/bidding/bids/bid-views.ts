/** One bid as shown in lists: from its row in Postgres, or from the journal while it is not there yet. */
import { formatOf } from '../../../engine/formats/formats.ts';
import type { RowReading, RowStatus } from '../../../engine/lot/format.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { totalText } from '../../../engine/lot/unit-totals.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import type { BidRow } from '../projection/pending-writes.ts';

export interface StoredBid {
  readonly bid_id: string;
  readonly lot_id: number;
  readonly auction_id: number;
  /** The lots that it is for, where they are sold together. */
  readonly lot_ids: unknown;
  readonly sequence: number;
  readonly user_id: number | null;
  readonly ceiling_cents: number;
  readonly amount_cents: number;
  /** ISO 8601. */
  readonly placed_at: string;
  readonly voided: boolean;
  readonly outcome: string;
  readonly channel: string;
  readonly alias: string;
  readonly paddle_number: string;
  readonly entry_hash: string;
}

export function storedBidOf({ placed_at_us, ...row }: BidRow): StoredBid {
  return { ...row, placed_at: isoFromUs(placed_at_us) };
}

/** A bid on several lots is shown with the first of them. */
export const FIRST_LOT_SQL = 'coalesce(CAST(b.lot_ids->>0 AS bigint), b.lot_id)';

export function ofFirstLot(bid: StoredBid): StoredBid {
  const [first] = Array.isArray(bid.lot_ids) ? bid.lot_ids : [];
  return typeof first === 'number' ? { ...bid, lot_id: first } : bid;
}

/** How a row stands by its lot's state, and what its bidder may know of it. */
export function readRow(row: StoredBid, state: LotState): RowReading {
  const { bid_id: bidId, user_id: userId, voided, ceiling_cents: ceilingCents } = row;
  return formatOf(state).readRow(state, { bidId, userId, voided, ceilingCents });
}

export interface BidView {
  readonly id: string;
  readonly amount: string;
  /** What it comes to, where amounts are for a unit. */
  readonly total: string | null;
  readonly outcome: string;
  readonly channel: string;
  /** Null while it is sealed. */
  readonly sequence: number | null;
  readonly placed_at: string;
  readonly status: RowStatus;
  readonly bidder: { readonly alias: string; readonly paddle_number: string };
  readonly is_mine: boolean;
  /** How many pieces of the lot. */
  readonly take?: number;
  /** The lots that it is for, of parcels. */
  readonly lot_ids?: readonly number[];
  /** On the viewer's own rows only. */
  readonly max_amount?: string;
  readonly receipt: { readonly hash: string };
}

/** A row for a viewer. Who leads is what the lot's state says, whatever the row was when it was placed. */
export function presentBid(row: StoredBid, state: LotState, viewerUserId: number | null): BidView {
  const isMine = viewerUserId !== null && row.user_id === viewerUserId;
  const { status, ownCeilingCents, fields } = readRow(row, state);
  return {
    id: row.bid_id,
    amount: formatCents(row.amount_cents, state.decimals),
    total: totalText(state.units, row.amount_cents, state.decimals),
    outcome: row.outcome,
    channel: row.channel,
    sequence: row.sequence,
    placed_at: row.placed_at,
    status,
    bidder: { alias: row.alias, paddle_number: row.paddle_number },
    is_mine: isMine,
    ...fields,
    ...(isMine ? { max_amount: formatCents(ownCeilingCents, state.decimals) } : {}),
    receipt: { hash: row.entry_hash },
  };
}
