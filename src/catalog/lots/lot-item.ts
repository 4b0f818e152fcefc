/**
 * A lot as lists show it. Postgres prints everything that bids do not move as one JSON text; the live part is printed
 * here, from the journal's state where there is one, and put before it. So a list costs one statement and one read of
 * the journal.
 */
import type { Journal } from '../../../engine/actor/journal.ts';
import { houseIncrements } from '../../../engine/auction/increments.ts';
import { lotView } from '../../../engine/formats/formats.ts';
import type { LotView } from '../../../engine/lot/sight.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { lotTotals, NO_TOTALS } from '../../../engine/lot/unit-totals.ts';
import { isPerUnit } from '../../../engine/lot/units.ts';
import { type Decimals, decimalsOf, formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { type UnitColumns, unitsOf } from '../../shared/lot-units.ts';
import { titlesSql } from '../../shared/translations.ts';
import { isoSql, mediaSql } from '../media-presentation.ts';
import { bandOf, centsPerAcre, keptState, readLive, SNAPSHOT_SQL } from './live.ts';
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
  currency: string,
  /** A JSON object with everything else. */
  rest: string,
  minimumNextCents: number | null,
  increments: readonly { readonly from_cents: number; readonly increment_cents: number }[] | null,
  units: string | null,
  unitName: string | null,
  bidPer: UnitColumns['bid_per'],
  acres: number | null,
  snapshot: string | null,
];

/**
 * For a statement over `lots l`, `auctions a` and `categories c`; `baseUrl` is the placeholder of the base address,
 * `distance` the expression of how far a lot is, in kilometres.
 */
export const lotItemColumns = (baseUrl: string, distance: string | null = null): string => `
  l.id, l.auction_id, l.status, l.starting_bid_cents, l.current_bid_cents, l.bid_count, l.hammer_price_cents,
    ${isoSql(END_TIME)}, a.currency,
  row_to_json((SELECT item FROM (SELECT l.id, l.auction_id, a.type AS auction_type, a.format, l.lot_number, l.catalog_number, l.title,
    a.language, ${titlesSql('l')} AS translations, l.slug,
    coalesce(l.sku, '') AS sku, a.currency, l.quantity,
    l.units::text AS units, l.unit_name, l.bid_per, l.close_group, l.choice_group, l.acres::float8 AS acres, l.city, l.county, l.state, l.country,
    CASE WHEN c.id IS NULL THEN NULL ELSE json_build_object('id', c.id, 'name', c.name) END AS category,
    ${mediaSql('lot_id', 'l.id', baseUrl)} AS media${distance === null ? '' : `, round(${distance}::numeric, 1)::float8 AS distance_km`}) AS item))::text,
  l.minimum_next_bid_cents, a.increments, l.units::text, l.unit_name, l.bid_per, l.acres::float8,
  ${SNAPSHOT_SQL}`;

export const LOT_CATEGORY_JOIN = 'LEFT JOIN categories c ON c.id = coalesce(l.category_id, a.category_id)';

/** What became of rows when the journal was read. */
export interface LiveRows<Row> {
  readonly kept: readonly { readonly row: Row; readonly state: LotState | undefined }[];
  readonly stale: boolean;
  /** When the journal was read, by its clock. */
  readonly nowUs: number;
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
  return { kept, stale: live.stale, nowUs: live.nowUs };
}

/** The lot's JSON text; `nowUs` is when the journal was read. */
export function lotItemText(
  row: readonly [...LotItemRow, ...unknown[]],
  journaled: LotState | undefined,
  nowUs: number,
): string {
  const [, , , , , , , endTime, currency, rest, , increments, units, unit_name, bid_per, acres, snapshot] =
    row;
  const state = journaled ?? keptState(snapshot);
  const table = increments?.map(bandOf) ?? houseIncrements(currency);
  const live =
    state === undefined
      ? liveText(copied(row), endTime, {
          units: unitsOf({ units, unit_name, bid_per }),
          decimals: decimalsOf(currency),
          acres,
        })
      : liveText(lotView(state, { viewer: null, increments: table, nowUs }), isoFromUs(state.endsAtUs), {
          units: state.units,
          decimals: state.decimals,
          acres,
        });
  return `${rest.slice(0, -1)},${live}}`;
}

/** What a lot's price is for. */
interface PricedLot extends Pick<LotState, 'units' | 'decimals'> {
  readonly acres: number | null;
}

/** What a list shows of a lot's view. */
type Shown = { readonly status: string } & Pick<
  LotView,
  'startingBidCents' | 'currentCents' | 'minimumNextCents' | 'bidCount' | 'hammerCents' | 'fields'
>;

function copied([, , status, startingBidCents, currentCents, bidCount, hammerCents, , , , minimum]: readonly [
  ...LotItemRow,
  ...unknown[],
]): Shown {
  const minimumNextCents = minimum ?? startingBidCents;
  return { status, startingBidCents, currentCents, minimumNextCents, bidCount, hammerCents };
}

function liveText(view: Shown, endTime: string, lot: PricedLot): string {
  const { status, startingBidCents, currentCents, minimumNextCents, bidCount, hammerCents, fields } = view;
  const { decimals } = lot;
  const more = isPerUnit(lot.units) ? lotTotals(view, lot) : NO_TOTALS;
  return (
    `"status":"${status}","starting_bid":"${formatCents(startingBidCents, decimals)}",` +
    `"current_bid":${moneyText(currentCents, decimals)},"minimum_next_bid":"${formatCents(minimumNextCents, decimals)}",` +
    `"bid_count":${bidCount},"hammer_price":${moneyText(hammerCents, decimals)},` +
    `"price_per_acre":${moneyText(centsPerAcre(view, lot), decimals)},"end_time":"${endTime}",` +
    JSON.stringify(fields === undefined ? more : { ...more, ...fields }).slice(1, -1)
  );
}

const moneyText = (cents: number | null, decimals: Decimals): string =>
  cents === null ? 'null' : `"${formatCents(cents, decimals)}"`;
