/**
 * Lists of lots. Rows are cached briefly, totals a little longer; live fields are overlaid for every answer. Far pages
 * are read from the nearer end of the list.
 */
import type { Knex } from 'knex';
import { runPrepared, type Statement } from '../../../adapters/postgres/prepared.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { CACHE_TIMES, type CacheTimes, totalTime } from '../../shared/caching/cache-times.ts';
import { SharedReads } from '../../shared/caching/shared-reads.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import { EVERYTHING_ACTIVE, type LotFilter } from './lot-filters.ts';
import { type LotItemRow, lotItemText, withLive } from './lot-item.ts';
import { type LotOrder, type Match, rowsStatement, totalStatement } from './lot-list-statements.ts';
import { commonSearchStatement } from './lot-search-statements.ts';

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

/** From here on a page is taken from the nearer end of the list, and only if there is one. */
const DEEP = 10_000;
/** More hits of a search than these are not ranked one by one. */
const MAX_RANKED = 2_000;

export class LotLists {
  readonly #knex: Knex;
  readonly #journal: Journal;
  readonly #pages: ShortCache<StoredPage>;
  readonly #totals: ShortCache<number>;
  readonly #totalTime: (total: number) => number;
  readonly #shared = new SharedReads<LotListPage>();

  constructor(parts: { readonly knex: Knex; readonly journal: Journal }, times: CacheTimes = CACHE_TIMES) {
    this.#knex = parts.knex;
    this.#journal = parts.journal;
    this.#pages = new ShortCache(times.listMs, 300);
    this.#totals = new ShortCache(times.totalMs, 3_000);
    this.#totalTime = totalTime(times);
  }

  /** A page of lots. Concurrent requests for the same share one read. Throws only when Postgres is unavailable. */
  read(query: LotListQuery): Promise<LotListPage> {
    const key = JSON.stringify(query);
    return this.#shared.get(key, () => this.#read(key, query));
  }

  async #read(key: string, query: LotListQuery): Promise<LotListPage> {
    const { rows, total } = await this.#pages.get(key, () => this.#readPage(query));
    const { kept, stale, nowUs } = await withLive(this.#journal, rows, query.filter.status);
    return { rows: kept.map(({ row, state }) => lotItemText(row, state, nowUs)), total, stale };
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
    // A cached total may lag behind the rows.
    return { rows, total: Math.max(total, rows.length === 0 ? 0 : offset + rows.length) };
  }

  async #readRows(
    { filter, order, perPage, baseUrl }: LotListQuery,
    match: Match,
    offset: number,
    total: number | null,
  ): Promise<LotItemRow[]> {
    const query = { filter, order, match, offset, limit: perPage, baseUrl };
    if (order.by === 'best' && match === 'begins' && total !== null && total > MAX_RANKED) {
      return this.#run(commonSearchStatement({ ...query, total }));
    }
    if (total === null || offset <= DEEP || offset <= total / 2) return this.#run(rowsStatement(query));
    const limit = Math.min(perPage, total - offset);
    const fromEnd = { ...query, limit, offset: total - offset - limit, reversed: true };
    return (await this.#run(rowsStatement(fromEnd))).reverse();
  }

  #run(statement: Statement): Promise<LotItemRow[]> {
    return runPrepared<LotItemRow>(this.#knex, statement);
  }

  #total(filter: LotFilter, match: Match): Promise<number> {
    const count = async () =>
      firstOf(await runPrepared<[number]>(this.#knex, totalStatement(filter, match)))[0];
    return this.#totals.get(JSON.stringify([filter, match]), count, this.#totalTime);
  }
}
