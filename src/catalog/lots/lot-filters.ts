/**
 * From the filters of a request to conditions of SQL, with what no schema can state checked on the way. Values only
 * ever go in as parameters of the statement.
 */

import type { Values } from '../../../adapters/postgres/prepared.ts';
import { isoFromUs, usFromIso } from '../../../engine/time.ts';
import { FILTERED_FIELDS } from '../../shared/lot-field-lists.ts';
import type { FilterKind } from '../../shared/lot-fields.ts';
import { invalid } from '../../shared/refusal.ts';
import { listsAuctionSql, listsLotAuctionSql } from '../../shared/visibility/visibility-sql.ts';
import { LISTED_STATUSES, type ListedStatus, type LotFilterQuery } from './lot-filters.schema.ts';

export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** A place, and how far from it; degrees and kilometres. */
export interface Near {
  readonly lat: number;
  readonly lng: number;
  /** Null: any distance. */
  readonly withinKm: number | null;
}

/** Filters after their checks. */
export interface LotFilter {
  readonly statuses: readonly ListedStatus[];
  /** The one status requested: a lot that has left it is dropped. Null where all are wanted. */
  readonly status: ListedStatus | null;
  readonly auctionId: number | null;
  /** With descendants; null without a filter. */
  readonly categoryIds: readonly number[] | null;
  /** Null where nothing was searched for. */
  readonly search: string | null;
  readonly box: Box | null;
  readonly near: Near | null;
  /** Column conditions: SQL with one `?` each, and its value. */
  readonly columns: readonly (readonly [sql: string, value: unknown])[];
  /** The caller has seen to it that the auction may be seen. */
  readonly anyPrivacy: boolean;
}

export const EVERYTHING_ACTIVE: LotFilter = {
  statuses: ['active'],
  status: 'active',
  auctionId: null,
  categoryIds: null,
  search: null,
  box: null,
  near: null,
  columns: [],
  anyPrivacy: false,
};

const same = (value: unknown) => value;

type ColumnFilter = readonly [sql: string, read: (value: unknown) => unknown];

/** The conditions of a column, by parameter. */
function columnFilters(name: string, kind: FilterKind): readonly (readonly [string, ColumnFilter])[] {
  if (kind === 'word') return [[name, [`lower(l.${name}) = lower(?)`, (word) => String(word).trim()]]];
  if (kind === 'flag') return [[name, [`l.${name} = ?::boolean`, same]]];
  return [
    [`min_${name}`, [`l.${name} >= ?::numeric`, String]],
    [`max_${name}`, [`l.${name} <= ?::numeric`, String]],
  ];
}

/** Those of the price, and of every field that the list of a lot's fields says lists are filtered by. */
const COLUMN_FILTERS: readonly (readonly [name: string, filter: ColumnFilter])[] = [
  ['min_price', ['l.price_cents >= ?::numeric * 100', same]],
  ['max_price', ['l.price_cents <= ?::numeric * 100', same]],
  ...FILTERED_FIELDS.flatMap(([name, kind]) => columnFilters(name, kind)),
];

/** Throws the 422 of parameters that fit their schema and still make no sense. */
export function readLotFilter(query: LotFilterQuery, categoryIds: readonly number[] | null): LotFilter {
  const status = query.status === 'all' ? null : query.status;
  const byName: Readonly<Record<string, unknown>> = query;
  const columns = COLUMN_FILTERS.flatMap(([name, [sql, read]]): [string, unknown][] =>
    byName[name] === undefined ? [] : [[sql, read(byName[name])]],
  );
  if (query.ending_before !== undefined) {
    columns.push(...endsBefore('?::timestamptz', momentOf(query.ending_before)));
  }
  if (query.ending_within !== undefined) {
    columns.push(...endsBefore("now() + ?::integer * interval '1 hour'", query.ending_within));
  }
  const search = query.search?.trim() ?? '';
  return {
    statuses: status === null ? LISTED_STATUSES : [status],
    status,
    auctionId: query.auction_id ?? null,
    categoryIds,
    search: search === '' ? null : search,
    box: query.bbox === undefined ? null : readBox(query.bbox),
    near: readNear(query),
    columns,
    anyPrivacy: false,
  };
}

/** What the second condition implies of the column alone comes before it: an index answers that. */
function endsBefore(moment: string, value: unknown): [string, unknown][] {
  return [
    [`(l.live_end_time IS NULL OR l.live_end_time < ${moment})`, value],
    [`${END_TIME} < ${moment}`, value],
  ];
}

/** When a lot ends as far as Postgres knows; before its journal is opened, as its auction plans it. */
export const END_TIME =
  "coalesce(l.live_end_time, a.end_time + (l.lot_number - 1) * a.stagger_seconds * interval '1 second')";

/**
 * The ways to belong to the wanted categories: each by itself, so that the order of an index holds within it, and by
 * the auction where the lot has none of its own. One condition that is always true where no category was requested.
 */
export function categoryWays(filter: LotFilter, values: Values): string[] {
  const { categoryIds: ids } = filter;
  if (ids === null) return ['true'];
  const list = `${values.add(ids)}::bigint[]`;
  const inherited = `l.category_id IS NULL AND l.auction_id IN (SELECT id FROM auctions WHERE category_id = ANY(${list}))`;
  if (filter.status === null || ids.length > MAX_WAYS) {
    return [`(l.category_id = ANY(${list}) OR (${inherited}))`];
  }
  return [...ids.map((id) => `l.category_id = ${values.add(id)}::bigint`), inherited];
}

/** Beyond this many the statement would take longer to plan than to run. */
const MAX_WAYS = 12;

/** Everything but status, category and search, joined by AND; `true` where there is nothing. */
export function filterSql(filter: LotFilter, values: Values): string {
  const conditions: string[] = [];
  if (filter.auctionId !== null) conditions.push(`l.auction_id = ${values.add(filter.auctionId)}::bigint`);
  for (const [sql, value] of filter.columns) conditions.push(sql.replace('?', () => values.add(value)));
  if (filter.box !== null) conditions.push(boxSql(filter.box, values));
  if (filter.near !== null) conditions.push(nearSql(filter.near, values));
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}

/** As `filterSql`, with the category as one condition. */
export function wholeFilterSql(filter: LotFilter, values: Values): string {
  const ways = categoryWays(filter, values);
  return `(${ways.join(' OR ')}) AND ${filterSql(filter, values)}`;
}

/**
 * Who may be listed at all: public auctions, and for active lots only active ones. Those are looked up in a set that is
 * made once for a statement; the test for truth keeps Postgres from making a join of it, which would be evaluated row
 * by row.
 */
export function listedSql(filter: LotFilter, status: ListedStatus): string {
  if (filter.anyPrivacy) return 'true';
  return status === 'active' && filter.status !== null
    ? `(l.auction_id IN (SELECT id FROM auctions WHERE ${listsAuctionSql('auctions')})) IS TRUE`
    : listedByJoinSql(filter);
}

/** The same as a condition on `auctions a`, for statements that have it anyway. */
export function listedByJoinSql(filter: LotFilter): string {
  return filter.anyPrivacy ? 'true' : listsLotAuctionSql(filter.status);
}

/**
 * The table `l` with the join with `auctions a` where a filter needs one. Filters and orders by price are answered by a
 * table that has all that is filtered by and little else.
 */
export function lotsFrom(filter: LotFilter, byPrice = false): string {
  const listedByJoin = !filter.anyPrivacy && filter.status !== 'active';
  const needsAuction = listedByJoin || filter.columns.some(([sql]) => sql.includes('a.'));
  const lots = `${lotsTable(filter, byPrice)} l`;
  return needsAuction ? `${lots} JOIN auctions a ON a.id = l.auction_id` : lots;
}

/** The table that `lotsFrom` names. */
export function lotsTable(filter: LotFilter, byPrice = false): 'lots' | 'priced_lots' {
  return byPrice || filtersByPrice(filter) ? 'priced_lots' : 'lots';
}

/** Whether a filter has a condition on the price, which `lots` alone does not answer. */
export function filtersByPrice({ columns }: LotFilter): boolean {
  return columns.some(([sql]) => sql.includes('price_cents'));
}

/** Plain ranges, because Postgres knows how many rows are in them; of its geometric conditions it does not. */
function boxSql({ west, south, east, north }: Box, values: Values): string {
  const between = (column: string, from: number, to: number) =>
    `${column} BETWEEN ${values.add(from)}::float8 AND ${values.add(to)}::float8`;
  const lng =
    west <= east
      ? between('l.lng', west, east)
      : `(l.lng >= ${values.add(west)}::float8 OR l.lng <= ${values.add(east)}::float8)`;
  return `l.lat IS NOT NULL AND ${between('l.lat', south, north)} AND ${lng}`;
}

const EARTH_KM = 6_371;
const KM_OF_A_DEGREE = 111;

/**
 * How far a lot `l` is from a place along the earth, in kilometres: the haversine formula (R. W. Sinnott, Virtues of
 * the Haversine, 1984), on a sphere of the mean radius.
 */
export function distanceSql({ lat, lng }: Near, values: Values): string {
  const [y, x] = [values.add(lat), values.add(lng)].map((value) => `${value}::float8`);
  const half = (of: string, from: string) => `power(sin(radians(${of} - ${from}) / 2), 2)`;
  const over = `${half('l.lat', y ?? '')} + cos(radians(${y})) * cos(radians(l.lat)) * ${half('l.lng', x ?? '')}`;
  return `(${2 * EARTH_KM} * asin(least(1, sqrt(${over}))))`;
}

/** Lots with a place; where there is a bound, a box around it first, which Postgres can count. */
function nearSql(near: Near, values: Values): string {
  const { lat, lng, withinKm } = near;
  if (withinKm === null) return 'l.lat IS NOT NULL AND l.lng IS NOT NULL';
  const high = withinKm / KM_OF_A_DEGREE;
  const [south, north] = [Math.max(-90, lat - high), Math.min(90, lat + high)];
  // Near a pole every longitude is near.
  const wide = high / Math.max(0.001, Math.cos((Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180));
  const around = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180;
  const box =
    wide >= 180
      ? { west: -180, east: 180, south, north }
      : { west: around(lng - wide), east: around(lng + wide), south, north };
  const within = `${values.add(withinKm)}::float8`;
  return `${boxSql(box, values)} AND ${distanceSql(near, values)} <= ${within}`;
}

function readNear({ near, within_km: withinKm }: LotFilterQuery): Near | null {
  if (near === undefined) {
    if (withinKm !== undefined) throw invalid({ within_km: ['The within km field needs near.'] });
    return null;
  }
  const [lat = Number.NaN, lng = Number.NaN] = near.split(',').map(Number);
  if (Math.abs(lat) > 90) throw invalid({ near: ['The near field must have a latitude from -90 to 90.'] });
  if (Math.abs(lng) > 180)
    throw invalid({ near: ['The near field must have a longitude from -180 to 180.'] });
  return { lat, lng, withinKm: withinKm ?? null };
}

function readBox(text: string): Box {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = text
    .split(',')
    .map(Number);
  const refuse = (sentence: string) => invalid({ bbox: [sentence] });
  if (Math.abs(west) > 180 || Math.abs(east) > 180)
    throw refuse('The bbox field must have longitudes from -180 to 180.');
  if (Math.abs(south) > 90 || Math.abs(north) > 90)
    throw refuse('The bbox field must have latitudes from -90 to 90.');
  if (south > north) throw refuse('The bbox field must have its south below its north.');
  return { west, south, east, north };
}

function momentOf(text: string): string {
  const us = usFromIso(text);
  if (us === null) throw invalid({ ending_before: ['The ending before field is not a valid time.'] });
  return isoFromUs(us);
}
