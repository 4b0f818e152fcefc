/** One bid as shown in lists: from its row in Postgres, or from the journal while it is not there yet. */
import { userKey } from '../../../engine/auction/record.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import type { BidRow } from '../projection/pending-writes.ts';

export interface StoredBid {
  readonly bid_id: string;
  readonly lot_id: number;
  readonly auction_id: number;
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

export const BID_STATUSES = ['leading', 'outbid', 'won', 'voided'] as const;
export type BidStatus = (typeof BID_STATUSES)[number];

export interface BidView {
  readonly id: string;
  readonly amount: string;
  readonly outcome: string;
  readonly channel: string;
  readonly sequence: number;
  readonly placed_at: string;
  readonly status: BidStatus;
  readonly bidder: { readonly alias: string; readonly paddle_number: string };
  readonly is_mine: boolean;
  /** On the viewer's own rows only. */
  readonly max_amount?: string;
  readonly receipt: { readonly hash: string };
}

/** A row for a viewer. Who leads is what the lot's state says, whatever the row was when it was placed. */
export function presentBid(row: StoredBid, state: LotState, viewerUserId: number | null): BidView {
  const isMine = viewerUserId !== null && row.user_id === viewerUserId;
  return {
    id: row.bid_id,
    amount: formatCents(row.amount_cents),
    outcome: row.outcome,
    channel: row.channel,
    sequence: row.sequence,
    placed_at: row.placed_at,
    status: statusOf(row, state),
    bidder: { alias: row.alias, paddle_number: row.paddle_number },
    is_mine: isMine,
    ...(isMine ? { max_amount: formatCents(ceilingOf(row, state, viewerUserId)) } : {}),
    receipt: { hash: row.entry_hash },
  };
}

/**
 * The leader's newest row leads; it has won when the lot was sold to this leader, and stays as it is when the lot
 * passes.
 */
function statusOf(row: Pick<StoredBid, 'bid_id' | 'voided'>, state: LotState): BidStatus {
  if (row.voided) return 'voided';
  if (state.leader?.bidId !== row.bid_id) return 'outbid';
  if (state.status !== 'sold') return 'leading';
  return state.winner?.key === state.leader.key ? 'won' : 'outbid';
}

/** A leader may have raised the ceiling since. */
function ceilingOf(row: StoredBid, state: LotState, viewerUserId: number): number {
  const leads = state.leader?.bidId === row.bid_id && state.leader.key === userKey(viewerUserId);
  return leads ? state.leader.ceilingCents : row.ceiling_cents;
}
