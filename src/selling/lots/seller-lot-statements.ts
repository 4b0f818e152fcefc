/**
 * The statements of sellers' lots. A page's ids are picked first, from the index of the team or of the auction, and
 * only then filled with what is shown. Postgres prints everything that bids do not move as one JSON text, so that
 * Node neither reads nor prints it.
 */
import { type Statement, Values } from '../../../adapters/postgres/prepared.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type LiveColumns, SNAPSHOT_SQL } from '../../catalog/lots/live.ts';
import { LOT_CATEGORY_JOIN } from '../../catalog/lots/lot-item.ts';
import { isoSql, mediaSql } from '../../catalog/media-presentation.ts';
import { fieldsAsJsonSql } from '../../shared/lot-field-lists.ts';
import type { UnitColumns } from '../../shared/lot-units.ts';
import { taxPercentageSql } from '../../shared/sale-amounts.ts';
import { CONSIGNOR_SQL } from '../consignments/naming.ts';

export interface SellerLotFilter {
  readonly auctionId: number | null;
  readonly status: string | null;
}

/** What the statements give of a lot. */
export interface SellerLotRow extends LiveColumns, UnitColumns {
  readonly id: number;
  readonly auction_id: number;
  readonly currency: string;
  readonly increments: { from_cents: number; increment_cents: number }[] | null;
  readonly start_time: string;
  readonly end_time: string;
  readonly acres: string | null;
  readonly snapshot: string | null;
  /** A JSON object with everything else. */
  readonly rest: string;
  /** How many lots there are, up to one more than were to be counted; null where they were not. */
  readonly counted: number | null;
  /** The lot's text as it was last printed, at a state of its journal. */
  serialized?: { readonly state: LotState | undefined; readonly text: string };
}

export interface PageQuery {
  readonly teamId: number;
  readonly filter: SellerLotFilter;
  readonly limit: number;
  readonly offset: number;
  readonly baseUrl: string;
  /** Count the lots with this page, up to this number; null: they are already counted. */
  readonly countTo: number | null;
}

/** A page of the team's lots, newest first. */
export function pageStatement(query: PageQuery): Statement {
  const values = new Values();
  const baseUrl = values.add(query.baseUrl);
  const from = wantedSql(query, values);
  const counted =
    query.countTo === null
      ? 'null::bigint'
      : `(SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${values.add(query.countTo + 1)}::bigint) counted)`;
  const picked = `SELECT l.id FROM ${from} ORDER BY l.id DESC
    LIMIT ${values.add(query.limit)}::bigint OFFSET ${values.add(query.offset)}::bigint`;
  return { text: filled(picked, baseUrl, counted), values: values.list };
}

/** How many lots the team has of these. */
export function countStatement(query: Pick<PageQuery, 'teamId' | 'filter'>): Statement {
  const values = new Values();
  return { text: `SELECT count(*) FROM ${wantedSql(query, values)}`, values: values.list };
}

/** Those of these lots that are the team's, newest first. */
export function lotsStatement(teamId: number, lotIds: readonly number[], baseUrl: string): Statement {
  const picked = 'SELECT l.id FROM lots l WHERE l.id = ANY($2::bigint[]) AND l.team_id = $3::bigint';
  return { text: filled(picked, '$1', 'null::bigint'), values: [baseUrl, lotIds, teamId] };
}

/** `lots l` with conditions; the auction only if it is the team's. */
function wantedSql({ teamId, filter }: Pick<PageQuery, 'teamId' | 'filter'>, values: Values): string {
  const team = `${values.add(teamId)}::bigint`;
  const status = filter.status === null ? '' : ` AND l.status = ${values.add(filter.status)}::text`;
  if (filter.auctionId === null) return `lots l WHERE l.team_id = ${team}${status}`;
  return `lots l WHERE l.auction_id = (SELECT a.id FROM auctions a
    WHERE a.id = ${values.add(filter.auctionId)}::bigint AND a.team_id = ${team})${status}`;
}

function filled(picked: string, baseUrl: string, counted: string): string {
  return `SELECT l.id, l.auction_id, l.status, l.starting_bid_cents, l.reserve_price_cents, l.buy_now_price_cents,
      l.current_bid_cents, l.bid_count, l.minimum_next_bid_cents, l.reserve_met, l.live_end_time, l.original_end_time,
      l.extension_count, l.extended_by_outage, l.hammer_price_cents, l.units::text AS units, l.unit_name,
      l.bid_per, a.currency, a.increments, a.start_time, a.end_time, l.acres::text AS acres, ${SNAPSHOT_SQL} AS snapshot,
      ${restSql(baseUrl)} AS rest,
        ${counted} AS counted
    FROM (${picked}) p JOIN lots l ON l.id = p.id JOIN auctions a ON a.id = l.auction_id ${LOT_CATEGORY_JOIN}
    ORDER BY l.id DESC`;
}

const restSql = (baseUrl: string): string => `
  row_to_json((SELECT shown FROM (SELECT l.id, l.auction_id, l.lot_number, l.title, a.language, l.slug,
    ${fieldsAsJsonSql('about', 'l')}, ${fieldsAsJsonSql('format', 'l')}, ${mediaSql('lot_id', 'l.id', baseUrl)} AS media,
    CASE WHEN c.id IS NULL THEN NULL ELSE json_build_object('id', c.id, 'name', c.name) END AS category, a.currency, a.format,
    (SELECT place FROM (SELECT ${fieldsAsJsonSql('location', 'l')}) place) AS location,
    (SELECT land FROM (SELECT ${fieldsAsJsonSql('land', 'l')}) land) AS land,
    l.custom_fields, (a.buyer_premium_bps / 100.0)::numeric(5, 2)::text AS buyer_premium_percentage,
    ${taxPercentageSql('a.sales_tax_ppm')} AS sales_tax_percentage,
    json_build_object('id', a.id, 'title', a.title, 'slug', a.slug, 'status', a.status, 'type', a.type) AS auction,
    ${CONSIGNOR_SQL},
    l.relisted_from, ${isoSql('l.created_at')} AS created_at) AS shown))::text`;
