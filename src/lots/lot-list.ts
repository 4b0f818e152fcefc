/**
 * Lists of lots: one prepared statement per combination of filters and order. The page's rows are picked from an index first
 * and only then filled with what is shown, so that later pages stay cheap. Rows are remembered for a moment, totals a little
 * longer; live fields are laid over anew for every answer.
 */
import type { Knex } from 'knex';
import { runPrepared, Values } from '../../adapters/postgres/prepared.ts';
import type { Journal } from '../../engine/journal.ts';
import { CACHE_TIMES, type CacheTimes, totalTime } from '../catalog/cache-times.ts';
import { ShortCache } from '../catalog/short-cache.ts';
import type { ListedStatus } from './lot-filters.schema.ts';
import { EVERYTHING_ACTIVE, filterSql, type LotFilter, listedSql } from './lot-filters.ts';
import { LOT_CATEGORY_JOIN, type LotItemRow, lotItemColumns, lotItemText, withLive } from './lot-item.ts';

export const LOT_SORTS = ['id', 'lot_number', 'title', 'current_bid', 'starting_bid', 'end_time'] as const;
export type LotSort = (typeof LOT_SORTS)[number];

/** `best`: the best match of the search first. */
export interface LotOrder {
  readonly by: LotSort | 'best';
  readonly descending: boolean;
}

export interface LotListQuery {
  readonly filter: LotFilter;
  readonly order: LotOrder;
  readonly page: number;
  readonly perPage: number;
  readonly baseUrl: string;
}

export interface LotListPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  readonly total: number;
  readonly stale: boolean;
}

interface StoredPage {
  readonly rows: readonly LotItemRow[];
  readonly total: number;
}

/** How a search finds: by the beginnings of words, or, where that finds nothing, by likeness to titles. */
type Match = 'begins' | 'resembles';

const KEYS: Readonly<Record<LotSort, string>> = {
  id: 'l.id',
  lot_number: 'l.lot_number',
  title: 'lower(l.title) COLLATE "C"',
  current_bid: 'l.current_bid_cents',
  starting_bid: 'l.starting_bid_cents',
  end_time: 'l.live_end_time',
};

/** From here on a page is taken from the nearer end of the list. */
const DEEP = 10_000;

export class LotLists {
  readonly #knex: Knex;
  readonly #journal: Journal;
  readonly #pages: ShortCache<StoredPage>;
  readonly #totals: ShortCache<number>;
  readonly #totalTime: (total: number) => number;

  constructor(parts: { readonly knex: Knex; readonly journal: Journal }, times: CacheTimes = CACHE_TIMES) {
    this.#knex = parts.knex;
    this.#journal = parts.journal;
    this.#pages = new ShortCache(times.listMs, 300);
    this.#totals = new ShortCache(times.totalMs, 3_000);
    this.#totalTime = totalTime(times);
  }

  /** A page of lots. Throws only when Postgres is away. */
  async read(query: LotListQuery): Promise<LotListPage> {
    const { rows, total } = await this.#pages.get(JSON.stringify(query), () => this.#readPage(query));
    const { kept, stale } = await withLive(this.#journal, rows, query.filter.status);
    return { rows: kept.map(({ row, state }) => lotItemText(row, state)), total, stale };
  }

  /** The active lots of an auction that the caller may see, whatever its privacy, by lot number. */
  readOfAuction(
    auctionId: number,
    paging: Pick<LotListQuery, 'page' | 'perPage' | 'baseUrl'>,
  ): Promise<LotListPage> {
    const filter: LotFilter = { ...EVERYTHING_ACTIVE, auctionId, anyPrivacy: true };
    return this.read({ filter, order: { by: 'lot_number', descending: false }, ...paging });
  }

  async #readPage(query: LotListQuery): Promise<StoredPage> {
    const { filter, page, perPage } = query;
    const offset = (page - 1) * perPage;
    let match: Match = 'begins';
    let total: number | null = null;
    if (filter.search !== null || offset > DEEP) total = await this.#total(filter, match);
    if (total === 0 && filter.search !== null) {
      match = 'resembles';
      total = await this.#total(filter, match);
    }
    if (total !== null && offset >= total) return { rows: [], total };
    const rows = await this.#readRows(query, match, offset, total);
    if (total === null) {
      const last = rows.length < perPage && (rows.length > 0 || page === 1);
      total = last ? offset + rows.length : await this.#total(filter, match);
    }
    // A remembered total may lag behind the rows.
    return { rows, total: Math.max(total, rows.length === 0 ? 0 : offset + rows.length) };
  }

  #readRows(query: LotListQuery, match: Match, offset: number, total: number | null): Promise<LotItemRow[]> {
    const fromEnd = total !== null && offset > DEEP && offset > total / 2;
    if (!fromEnd) return runPrepared<LotItemRow>(this.#knex, rowsStatement(query, match, offset));
    const count = Math.min(query.perPage, total - offset);
    const reversed = { ...query, perPage: count };
    return runPrepared<LotItemRow>(
      this.#knex,
      rowsStatement(reversed, match, total - offset - count, true),
    ).then((rows) => rows.reverse());
  }

  #total(filter: LotFilter, match: Match): Promise<number> {
    const count = async () => (await runPrepared<[number]>(this.#knex, totalStatement(filter, match)))[0]![0];
    return this.#totals.get(JSON.stringify([filter, match]), count, this.#totalTime);
  }
}

/** The statement of a page's rows; `reversed` reads the list from its end. */
export function rowsStatement(query: LotListQuery, match: Match, offset: number, reversed = false) {
  const { filter, order, perPage } = query;
  const values = new Values();
  const baseUrl = values.add(query.baseUrl);
  const { search, words, key } = searchSql(filter, match, values, order);
  const where = `${filterSql(filter, values)}${search}`;
  const down = order.descending !== reversed;
  const orderBy = (prefix: string) =>
    order.by === 'id'
      ? `${prefix === '' ? 'l.id' : 'p.id'} ${down ? 'DESC' : 'ASC'}`
      : order.by === 'best'
        ? orderByBest(prefix, key, reversed)
        : `${prefix === '' ? key : 'p.k'} ${down ? 'DESC' : 'ASC'}, ${prefix === '' ? 'l.id' : 'p.id'} ${reversed ? 'DESC' : 'ASC'}`;
  const branch = (status: ListedStatus, limit: string) => `
    (SELECT l.id, ${key} AS k, l.lot_number AS n FROM lots l JOIN auctions a ON a.id = l.auction_id ${words}
    WHERE l.status = '${status}' AND ${listedSql(filter, status)} AND ${where}
    ORDER BY ${orderBy('')} ${limit})`;
  const one = filter.statuses.length === 1;
  const limits = one
    ? `LIMIT ${values.add(perPage)}::bigint OFFSET ${values.add(offset)}::bigint`
    : `LIMIT ${values.add(offset + perPage)}::bigint`;
  const picked = filter.statuses.map((status) => branch(status, limits)).join(' UNION ALL ');
  const cut = one
    ? picked
    : `(SELECT p.id, p.k, p.n FROM (${picked}) p ORDER BY ${orderBy('p')}
       LIMIT ${values.add(perPage)}::bigint OFFSET ${values.add(offset)}::bigint)`;
  const text = `SELECT ${lotItemColumns(baseUrl)}
    FROM ${cut} p JOIN lots l ON l.id = p.id JOIN auctions a ON a.id = l.auction_id ${LOT_CATEGORY_JOIN}
    ORDER BY ${orderBy('p')}`;
  return { text, values: values.list };
}

function orderByBest(prefix: string, key: string, reversed: boolean): string {
  const way = reversed ? 'DESC' : 'ASC';
  const columns = prefix === '' ? [key, 'l.lot_number', 'l.id'] : ['p.k', 'p.n', 'p.id'];
  return columns.map((column) => `${column} ${way}`).join(', ');
}

/** How many rows there are over all pages. */
export function totalStatement(filter: LotFilter, match: Match) {
  const values = new Values();
  const order: LotOrder = { by: 'id', descending: false };
  const { search, words } = searchSql(filter, match, values, order);
  const where = `${filterSql(filter, values)}${search}`;
  const status = filter.status === null ? "l.status <> 'draft'" : `l.status = '${filter.status}'`;
  const listed = listedSql(filter, filter.statuses[0]!);
  const text = `SELECT count(*) FROM lots l JOIN auctions a ON a.id = l.auction_id ${words}
    WHERE ${status} AND ${listed} AND ${where}`;
  return { text, values: values.list };
}

function searchSql(filter: LotFilter, match: Match, values: Values, order: LotOrder) {
  const sorted = order.by === 'best' ? '0' : KEYS[order.by];
  if (filter.search === null) return { search: '', words: '', key: sorted };
  const given = `${values.add(filter.search)}::text`;
  const fold = `search_fold(${given})`;
  const words = 'JOIN lot_search s ON s.lot_id = l.id';
  if (match === 'resembles') {
    const key = order.by === 'best' ? `search_distance(s.title_words, ${fold})` : sorted;
    return { search: ` AND search_resembles(s.title_words, ${fold})`, words, key };
  }
  const key = order.by === 'best' ? `search_rank(s.title_words, ${fold}, search_query(${given}))` : sorted;
  return { search: ` AND s.words @@ search_query(${given})`, words, key };
}
