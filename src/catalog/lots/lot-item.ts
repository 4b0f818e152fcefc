/**
 * A lot as lists show it. Postgres prints everything that bids do not move as one JSON text; the live part is printed
 * here, from the journal's state where there is one, and put before it. So a list costs one statement and one read of
 * the journal.
 */
import type { Journal } from '../../../engine/actor/journal.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { isoSql, mediaSql } from '../media-presentation.ts';
import { readLive } from './live.ts';
import { END_TIME } from './lot-filters.ts';

/** The columns of `LOT_ITEM_COLUMNS`, in order. */
export type LotItemRow = readonly [
  id: number,
  auctionId: number,
  status: string,
  startingBidCents: number,
  currentBidCents: number,
  bidCount: number,
  hammerPriceCents: number | null,
  endTime: string,
  /** A JSON object with everything else. */
  rest: string,
];

/** For a statement over `lots l`, `auctions a` and `categories c`; `baseUrl` is the placeholder of the base address. */
export const lotItemColumns = (baseUrl: string): string => `
  l.id, l.auction_id, l.status, l.starting_bid_cents, l.current_bid_cents, l.bid_count, l.hammer_price_cents,
    ${isoSql(END_TIME)},
  row_to_json((SELECT item FROM (SELECT l.id, l.auction_id, a.type AS auction_type, l.lot_number, l.title, l.slug,
    coalesce(l.sku, '') AS sku, a.currency, l.quantity,
    l.acres::float8 AS acres, l.city, l.county, l.state, l.country,
    CASE WHEN c.id IS NULL THEN NULL ELSE json_build_object('id', c.id, 'name', c.name) END AS category,
    ${mediaSql('lot_id', 'l.id', baseUrl)} AS media) AS item))::text`;

export const LOT_CATEGORY_JOIN = 'LEFT JOIN categories c ON c.id = coalesce(l.category_id, a.category_id)';

/** What became of rows when the journal was read. */
export interface LiveRows<Row> {
  readonly kept: readonly { readonly row: Row; readonly state: LotState | undefined }[];
  readonly stale: boolean;
}

/**
 * Overlays the journal on rows that begin like `LotItemRow`. With `status` given, rows whose live status is another one
 * are left out. Sold and withdrawn lots no longer change, so the journal is not read for them; a floor may still sell a
 * passed one.
 */
export async function withLive<Row extends readonly [number, number, string, ...unknown[]]>(
  journal: Journal,
  rows: readonly Row[],
  status: string | null,
): Promise<LiveRows<Row>> {
  const open = rows.filter(([, , stored]) => stored !== 'sold' && stored !== 'withdrawn');
  const live = await readLive(
    journal,
    open.map(([lotId, auctionId]) => ({ lotId, auctionId })),
  );
  const kept = rows
    .map((row) => ({ row, state: live.states.get(row[0]) }))
    .filter(({ row, state }) => status === null || (state?.status ?? row[2]) === status);
  return { kept, stale: live.stale };
}

/** The lot's JSON text. */
export function lotItemText(
  row: readonly [...LotItemRow, ...unknown[]],
  state: LotState | undefined,
): string {
  const [, , status, startingBidCents, currentBidCents, bidCount, hammerCents, endTime, rest] = row;
  const live =
    state === undefined
      ? liveText(status, startingBidCents, currentBidCents, bidCount, hammerCents, endTime)
      : liveText(
          state.status,
          state.startingBidCents,
          state.currentCents,
          state.bidCount,
          state.hammerCents,
          isoFromUs(state.endsAtUs),
        );
  return `${rest.slice(0, -1)},${live}}`;
}

function liveText(
  status: string,
  startingBidCents: number,
  currentBidCents: number,
  bidCount: number,
  hammerCents: number | null,
  endTime: string,
) {
  return `"status":"${status}","starting_bid":"${formatCents(startingBidCents)}","current_bid":"${formatCents(
    currentBidCents,
  )}","bid_count":${bidCount},"hammer_price":${hammerText(hammerCents)},"end_time":"${endTime}"`;
}

const hammerText = (cents: number | null): string => (cents === null ? 'null' : `"${formatCents(cents)}"`);
