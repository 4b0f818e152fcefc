/**
 * The live fields of lots: those that only a lot's journal knows. Read from the journal for every answer and laid
 * over what Postgres holds; while the journal is unavailable, Postgres' copy serves and says that it is stale.
 */

import type { Journal } from '../../../engine/actor/journal.ts';
import { DEFAULT_INCREMENTS, type Increment, incrementAt } from '../../../engine/auction/increments.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { type LotState, minimumNextCents, reserveMet } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';

export interface LiveLotIds {
  readonly lotId: number;
  readonly auctionId: number;
}

export interface LiveLots {
  /** The lots that the journal has; others are absent. */
  readonly states: ReadonlyMap<number, LotState>;
  /** The journal could not be read: what Postgres holds may be behind. */
  readonly stale: boolean;
}

/** Reads the live state of many lots in one round trip per shard. Never throws. */
export async function readLive(
  journal: Pick<Journal, 'load'>,
  lots: readonly LiveLotIds[],
): Promise<LiveLots> {
  const states = new Map<number, LotState>();
  try {
    const found = await Promise.all(lots.map(({ auctionId, lotId }) => journal.load(auctionId, lotId)));
    found.forEach((state, index) => {
      if (state !== null) states.set(itemAt(lots, index).lotId, state);
    });
    return { states, stale: false };
  } catch {
    return { states, stale: lots.length > 0 };
  }
}

const moneyOrNull = (cents: number | null) => (cents === null ? null : formatCents(cents));

/** The live columns as Postgres has them, written by the projection. */
export interface LiveColumns {
  readonly status: string;
  readonly starting_bid_cents: number;
  readonly reserve_price_cents: number | null;
  readonly buy_now_price_cents: number | null;
  readonly current_bid_cents: number;
  readonly bid_count: number;
  readonly minimum_next_bid_cents: number | null;
  readonly reserve_met: boolean;
  readonly live_end_time: string | null;
  readonly original_end_time: string | null;
  readonly extension_count: number;
  readonly extended_by_outage: boolean;
  readonly hammer_price_cents: number | null;
}

/** What is public of a lot's price and status. */
export function liveFields(
  columns: LiveColumns,
  state: LotState | undefined,
  auction: {
    readonly increments: readonly Increment[] | null;
    readonly start_time: string;
    readonly end_time: string;
  },
) {
  const increments = auction.increments ?? DEFAULT_INCREMENTS;
  if (state === undefined) return copiedFields(columns, increments, auction);
  const status: string = state.status;
  return {
    starting_bid: formatCents(state.startingBidCents),
    current_bid: formatCents(state.currentCents),
    minimum_next_bid: formatCents(minimumNextCents(state, { increments })),
    bid_increment: formatCents(incrementAt(increments, state.currentCents)),
    bid_count: state.bidCount,
    hammer_price: moneyOrNull(state.hammerCents),
    has_reserve: state.reserveCents !== null,
    reserve_met: reserveMet(state),
    buy_now_price: moneyOrNull(state.buyNowCents),
    status,
    start_time: isoFromUs(state.startsAtUs),
    end_time: isoFromUs(state.endsAtUs),
    original_end_time: isoFromUs(state.originalEndsAtUs),
    extension_count: state.extensionCount,
    extended_by: extendedBy(state.extendedByOutage, state.extensionCount),
  };
}

/** What moved the end last, alongside the auction. */
function extendedBy(byOutage: boolean, extensions: number): 'bid' | 'outage' | null {
  if (byOutage) return 'outage';
  return extensions > 0 ? 'bid' : null;
}

function copiedFields(
  columns: LiveColumns,
  increments: readonly Increment[],
  auction: { readonly start_time: string; readonly end_time: string },
) {
  const { current_bid_cents: currentCents } = columns;
  return {
    starting_bid: formatCents(columns.starting_bid_cents),
    current_bid: formatCents(currentCents),
    minimum_next_bid: formatCents(columns.minimum_next_bid_cents ?? columns.starting_bid_cents),
    bid_increment: formatCents(incrementAt(increments, currentCents)),
    bid_count: columns.bid_count,
    hammer_price: moneyOrNull(columns.hammer_price_cents),
    has_reserve: columns.reserve_price_cents !== null,
    reserve_met: columns.reserve_met || columns.reserve_price_cents === null,
    buy_now_price: moneyOrNull(columns.buy_now_price_cents),
    status: columns.status,
    start_time: auction.start_time,
    end_time: columns.live_end_time ?? auction.end_time,
    original_end_time: columns.original_end_time ?? auction.end_time,
    extension_count: columns.extension_count,
    extended_by: extendedBy(columns.extended_by_outage, columns.extension_count),
  };
}
