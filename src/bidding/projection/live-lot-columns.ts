/** A lot's state as the live columns of its row. */

import type { Column } from '../../../adapters/postgres/binary-rows.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import {
  encodeSnapshot,
  faceOf,
  formatOf,
  isFinal,
  isHeld,
  lotView,
  memberIds,
} from '../../../engine/formats/formats.ts';
import { isClosed, type LotState } from '../../../engine/lot/state.ts';
import { cleanText } from './clean-text.ts';
import type { KnownLot } from './pending-writes.ts';

/** The columns of each lot that a state is of: one, but where several are sold together. */
export function columnsOfAll({ state, entryCount }: KnownLot, record: AuctionRecord | null): LotColumns[] {
  const ids = memberIds(state);
  if (ids.length === 1) return [lotColumns({ state, entryCount }, record)];
  return ids.map((lotId) => {
    const columns = lotColumns({ state: faceOf(state, lotId), entryCount }, record);
    // What is folded on is the state as it is, in the row of the lot that hosts the journal.
    if (lotId !== state.lotId) return columns;
    return { ...columns, is_finished: isFinal(state), snapshot: encodeSnapshot(state) };
  });
}

/** A value for each of `LOT_COLUMNS`. */
function lotColumns({ state, entryCount }: KnownLot, record: AuctionRecord | null) {
  // A result that is held is in no column: nothing may follow from it yet.
  const isShownOnly = isHeld(state);
  const increments = record?.increments ?? DEFAULT_INCREMENTS;
  const view = lotView(state, { viewer: null, increments, nowUs: state.recordedAtUs });
  const [leader] = formatOf(state).leadersOf(state);
  return {
    id: state.lotId,
    auction_id: state.auctionId,
    status: isShownOnly ? 'active' : state.status,
    current_bid_cents: view.currentCents ?? 0,
    bid_count: view.bidCount ?? 0,
    minimum_next_bid_cents: view.minimumNextCents,
    reserve_met: view.reserveMet ?? false,
    leader_key: leaderKeyOf(state),
    leader_user_id: leader?.userId ?? null,
    live_end_us: state.endsAtUs,
    original_end_us: state.originalEndsAtUs,
    extension_count: state.extensionCount,
    extended_by_outage: state.extendedByOutage,
    hammer_price_cents: isShownOnly ? null : state.hammerCents,
    winner_user_id: isShownOnly ? null : (state.winner?.userId ?? null),
    sequence: state.sequence,
    head_hash: state.hash,
    closed_us: isClosed(state) && !isShownOnly ? state.recordedAtUs : null,
    starting_bid_cents: state.startingBidCents,
    reserve_price_cents: state.reserveCents,
    buy_now_price_cents: state.buyNowCents,
    consignor_id: state.consignorUserId,
    is_finished: isFinal(state),
    entry_count: entryCount,
    snapshot: encodeSnapshot(state),
  };
}

/** Who leads, as text that Postgres holds. */
export function leaderKeyOf(state: LotState): string | null {
  const [leader] = formatOf(state).leadersOf(state);
  return leader === undefined ? null : cleanText(leader.key);
}

export type LotColumns = ReturnType<typeof lotColumns>;

/** The columns of the type `projected_lot`, in its order. */
export const LOT_COLUMNS: readonly Column<LotColumns>[] = [
  ['id', 'bigint'],
  ['auction_id', 'bigint'],
  ['status', 'text'],
  ['current_bid_cents', 'bigint'],
  ['bid_count', 'integer'],
  ['minimum_next_bid_cents', 'bigint'],
  ['reserve_met', 'boolean'],
  ['leader_key', 'text'],
  ['leader_user_id', 'bigint'],
  ['live_end_us', 'timestamptz'],
  ['original_end_us', 'timestamptz'],
  ['extension_count', 'integer'],
  ['extended_by_outage', 'boolean'],
  ['hammer_price_cents', 'bigint'],
  ['winner_user_id', 'bigint'],
  ['sequence', 'bigint'],
  ['head_hash', 'text'],
  ['closed_us', 'timestamptz'],
  ['starting_bid_cents', 'bigint'],
  ['reserve_price_cents', 'bigint'],
  ['buy_now_price_cents', 'bigint'],
  ['consignor_id', 'bigint'],
  ['is_finished', 'boolean'],
  ['entry_count', 'integer'],
  ['snapshot', 'text'],
];
