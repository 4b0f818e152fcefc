/**
 * The statements of lot lists. A page's rows are picked first, from an index where there is one for the order, and
 * only then filled with what is shown. Statuses and orders are part of the text, everything else is a parameter.
 */

import { type Statement, Values } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { listsLotSql } from '../../shared/visibility/visibility-sql.ts';
import type { ListedStatus } from './lot-filters.schema.ts';
import {
  categoryWays,
  distanceSql,
  filterSql,
  type LotFilter,
  listedSql,
  lotsFrom,
  lotsTable,
  type Near,
  wholeFilterSql,
} from './lot-filters.ts';
import { LOT_CATEGORY_JOIN, lotItemColumns } from './lot-item.ts';

export const LOT_SORTS = [
  'id',
  'lot_number',
  'title',
  'price',
  'current_bid',
  'starting_bid',
  'end_time',
  'price_per_acre',
  'distance',
] as const;
export type LotSort = (typeof LOT_SORTS)[number];

/** `best`: the best match of the search first. */
export interface LotOrder {
  readonly by: LotSort | 'best';
  readonly descending: boolean;
}

/** How a search finds: by the beginnings of words, or, where that finds nothing, by likeness to titles. */
export type Match = 'begins' | 'resembles';

/** Which rows, in which order. */
export interface RowsQuery {
  readonly filter: LotFilter;
  readonly order: LotOrder;
  readonly match: Match;
  readonly offset: number;
  readonly limit: number;
  readonly baseUrl: string;
  /** The list from its end. */
  readonly reversed?: boolean;
}

const KEYS: Readonly<Record<Exclude<LotSort, 'distance'>, string>> = {
  id: 'l.id',
  lot_number: 'l.lot_number',
  title: 'lower(l.title) COLLATE "C"',
  price: 'l.price_cents',
  current_bid: 'l.current_bid_cents',
  starting_bid: 'l.starting_bid_cents',
  end_time: 'l.live_end_time',
  price_per_acre: 'l.price_cents * l.priced_units / nullif(l.acres, 0)',
};

/** Orders that the table of prices has, and an index for each. */
const BY_PRICE: ReadonlySet<LotOrder['by']> = new Set(['price', 'current_bid', 'price_per_acre']);

/** A page's rows, as `LotItemRow`. */
export function rowsStatement(query: RowsQuery): Statement {
  const { filter, limit, offset } = query;
  const values = new Values();
  const baseUrl = values.add(query.baseUrl);
  const { search, words, key } = searchSql(filter, query.match, values, query.order);
  const where = `${filterSql(filter, values)}${search}`;
  const ways = filter.statuses.flatMap((status) =>
    categoryWays(filter, values).map((category) => ({ status, category })),
  );
  const byPrice = BY_PRICE.has(query.order.by);
  const one = ways.length === 1;
  const cut = one
    ? `LIMIT ${values.add(limit)}::bigint OFFSET ${values.add(offset)}::bigint`
    : `LIMIT ${values.add(offset + limit)}::bigint`;
  const branch = ({ status, category }: { status: ListedStatus; category: string }) => `
    (SELECT l.id, ${key} AS k, l.lot_number AS n FROM ${lotsFrom(filter, byPrice)} ${words}
    WHERE ${listsLotSql(status, lotsTable(filter, byPrice))} AND ${category} AND ${listedSql(filter, status)} AND ${where}
    ORDER BY ${orderBy(query, key, 'l.lot_number', 'l.id')} ${cut})`;
  const branches = ways.map(branch).join(' UNION ALL ');
  const order = orderBy(query, 'p.k', 'p.n', 'p.id');
  const picked = one
    ? branches
    : `(SELECT p.id, p.k, p.n FROM (${branches}) p ORDER BY ${order}
       LIMIT ${values.add(limit)}::bigint OFFSET ${values.add(offset)}::bigint)`;
  const shown = filled(picked, baseUrl, order, filter.near, values);
  return { text: shown, values: values.list, once: isParticular(filter) };
}

/** How many rows there are over all pages. */
export function totalStatement(filter: LotFilter, match: Match): Statement {
  const values = new Values();
  const text = allRowsSql('count(*)', filter, match, values);
  return { text, values: values.list, once: isParticular(filter) };
}

/** `columns` over the rows of all pages: the statement that counts them, or asks whether there is any. */
export function allRowsSql(columns: string, filter: LotFilter, match: Match, values: Values): string {
  const { search, words } = searchSql(filter, match, values, { by: 'id', descending: false });
  const where = `${wholeFilterSql(filter, values)}${search}`;
  return `SELECT ${columns} FROM ${lotsFrom(filter)} ${words}
    WHERE ${statusSql(filter)} AND ${listedSql(filter, firstOf(filter.statuses))} AND ${where}`;
}

/** Whether the best plan depends on the values: a rare county is looked up, a common one is met on the way. */
export function isParticular({ search, box, near, columns, categoryIds }: LotFilter): boolean {
  return search !== null || box !== null || near !== null || columns.length > 0 || categoryIds !== null;
}

/** The one status requested, or all that are listed. */
export function statusSql(filter: LotFilter): string {
  return listsLotSql(filter.status, lotsTable(filter));
}

/** The rows that `picked` picks, with what is shown of them: how far they are, where a place was named. */
export function filled(
  picked: string,
  baseUrl: string,
  order: string,
  near: Near | null,
  values: Values,
): string {
  const distance = near === null ? null : distanceSql(near, values);
  return `SELECT ${lotItemColumns(baseUrl, distance)}
    FROM ${picked} p JOIN lots l ON l.id = p.id JOIN auctions a ON a.id = l.auction_id ${LOT_CATEGORY_JOIN}
    ORDER BY ${order}`;
}

/** Ties go by id upwards, whichever way the key goes. */
function orderBy({ order, reversed = false }: RowsQuery, key: string, lotNumber: string, id: string): string {
  const way = (down: boolean) => (down === reversed ? 'ASC' : 'DESC');
  if (order.by === 'id') return `${id} ${way(order.descending)}`;
  if (order.by === 'best') return [key, lotNumber, id].map((column) => `${column} ${way(false)}`).join(', ');
  // Lots without acres have no price of one, whichever way it goes.
  const last = order.by === 'price_per_acre' ? ` NULLS ${reversed ? 'FIRST' : 'LAST'}` : '';
  return `${key} ${way(order.descending)}${last}, ${id} ${way(false)}`;
}

/** What a search needs beside the lots `l`. */
export const SEARCH_JOIN = 'JOIN lot_search s ON s.lot_id = l.id';

/** The condition of `SEARCH_JOIN`'s row to be found by `words`, an SQL expression. */
export function foundSql(words: string, match: Match): string {
  return match === 'begins'
    ? `s.words @@ search_query(${words})`
    : `search_resembles(s.title_words, search_fold(${words}))`;
}

function sortKey({ near }: LotFilter, values: Values, { by }: LotOrder): string {
  if (by === 'best') return '0';
  if (by !== 'distance') return KEYS[by];
  return near === null ? '0' : distanceSql(near, values);
}

function searchSql(filter: LotFilter, match: Match, values: Values, order: LotOrder) {
  const sorted = sortKey(filter, values, order);
  if (filter.search === null) return { search: '', words: '', key: sorted };
  const words = `${values.add(filter.search)}::text`;
  const fold = `search_fold(${words})`;
  const best =
    match === 'resembles'
      ? `search_distance(s.title_words, ${fold})`
      : `search_rank(s.title_words, ${fold}, search_query(${words}))`;
  return {
    search: ` AND ${foundSql(words, match)}`,
    words: SEARCH_JOIN,
    key: order.by === 'best' ? best : sorted,
  };
}
