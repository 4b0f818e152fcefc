/**
 * The public list of auctions, and one auction in full: prepared statements that let Postgres print the JSON. Auctions
 * have no live fields, so a whole list may be cached briefly.
 */

import type { Knex } from 'knex';
import { readPrepared, runPrepared, Values } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { namesIn } from '../../../engine/objects.ts';
import { shownFormatFields } from '../../shared/auction-format-fields.ts';
import { CACHE_TIMES, type CacheTimes, totalTime } from '../../shared/caching/cache-times.ts';
import { SharedReads } from '../../shared/caching/shared-reads.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import { shownAuctionFormat } from '../../shared/format-fields.ts';
import { amountSql } from '../../shared/money-text.ts';

import { taxPercentageSql } from '../../shared/sale-amounts.ts';
import { shownSaleTermColumns, shownSaleTerms } from '../../shared/sale-terms.ts';
import { titlesSql } from '../../shared/translations.ts';

import {
  type AuctionFactsRow,
  auctionFactsSql,
  listsAuctionSql,
} from '../../shared/visibility/visibility-sql.ts';

import { isoSql, mediaSql } from '../media-presentation.ts';
import { closesAtSql, openLotsSql } from './open-lots.ts';
import { saleHistorySql } from './sale-history.ts';

export const AUCTION_SORTS = ['id', 'title', 'start_time', 'end_time'] as const;
export type AuctionSort = (typeof AUCTION_SORTS)[number];

export interface AuctionListQuery {
  /** With descendants; null without a filter. */
  readonly categoryIds: readonly number[] | null;
  /** Null where nothing was searched for. */
  readonly search: string | null;
  /** `best`: the best match of the search first. */
  readonly sortBy: AuctionSort | 'best';
  readonly descending: boolean;
  readonly page: number;
  readonly perPage: number;
}

export interface AuctionListPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  readonly total: number;
}

type Match = 'begins' | 'resembles';

const KEYS: Readonly<Record<AuctionSort, string>> = {
  id: 'a.id',
  title: 'lower(a.title) COLLATE "C"',
  start_time: 'a.start_time',
  end_time: 'a.end_time',
};

const LISTED = listsAuctionSql();

const spoken = (moment: string) => `to_char(${moment} AT TIME ZONE 'UTC', 'Mon DD, YYYY HH12:MI AM')`;

/** Over `auctions a` and `categories c`; `translations` is what is shown of them. */
const itemSql = (
  translations: string,
) => `a.id, a.title, a.language, ${translations} AS translations, a.slug, a.status, a.privacy_setting, a.type, a.format, a.currency,
  (a.buyer_premium_bps / 100.0)::numeric(5, 2)::text AS buyer_premium_percentage,
  ${isoSql('a.start_time')} AS start_time, ${isoSql('a.end_time')} AS end_time,
  ${spoken('a.start_time')} AS formatted_start_time, ${spoken('a.end_time')} AS formatted_end_time,
  ${closesAtSql('a')} AS closes_at, ${openLotsSql('a')} AS open_lots,
  CASE WHEN c.id IS NULL THEN NULL ELSE json_build_object('id', c.id, 'name', c.name) END AS category`;

export class AuctionLists {
  readonly #knex: Knex;
  readonly #pages: ShortCache<AuctionListPage>;
  readonly #totals: ShortCache<number>;
  readonly #totalTime: (total: number) => number;
  readonly #shared = new SharedReads<AuctionListPage>();

  constructor(knex: Knex, times: CacheTimes = CACHE_TIMES) {
    this.#knex = knex;
    this.#pages = new ShortCache(times.listMs, 300);
    this.#totals = new ShortCache(times.totalMs, 3_000);
    this.#totalTime = totalTime(times);
  }

  /** A page of auctions. Concurrent requests for the same share one read. */
  read(query: AuctionListQuery): Promise<AuctionListPage> {
    const key = JSON.stringify(query);
    return this.#shared.get(key, () => this.#pages.get(key, () => this.#readPage(query)));
  }

  async #readPage(query: AuctionListQuery): Promise<AuctionListPage> {
    const offset = (query.page - 1) * query.perPage;
    const found = await this.#rows(query, 'begins', offset);
    if (found.total > 0 || query.search === null) return found;
    return this.#rows(query, 'resembles', offset);
  }

  async #rows(query: AuctionListQuery, match: Match, offset: number): Promise<AuctionListPage> {
    const rows = (await runPrepared<[string]>(this.#knex, listStatement(query, match, offset))).map(
      ([text]) => text,
    );
    const isLast = rows.length < query.perPage && (rows.length > 0 || offset === 0);
    const total = isLast ? offset + rows.length : await this.#total(query, match);
    // A cached total may lag behind the rows.
    return { rows, total: Math.max(total, rows.length === 0 ? 0 : offset + rows.length) };
  }

  #total({ categoryIds, search }: AuctionListQuery, match: Match): Promise<number> {
    const count = async () => {
      const values = new Values();
      const where = filterSql({ categoryIds, search }, match, values);
      const text = `SELECT count(*) FROM auctions a WHERE ${LISTED}${where}`;
      return firstOf(await runPrepared<[number]>(this.#knex, { text, values: values.list }))[0];
    };
    return this.#totals.get(JSON.stringify([categoryIds, search, match]), count, this.#totalTime);
  }
}

/** The statement of a page. */
export function listStatement(query: AuctionListQuery, match: Match, offset: number) {
  const values = new Values();
  const where = filterSql(query, match, values);
  const order = orderSql(query, match, values);
  // Only what is shown is printed, however far down the page lies.
  const text = `SELECT row_to_json((SELECT item FROM (SELECT ${itemSql(titlesSql('a'))}) AS item))::text
    FROM (SELECT a.id, row_number() OVER (ORDER BY ${order}) AS place FROM auctions a WHERE ${LISTED}${where}
      ORDER BY ${order} LIMIT ${values.add(query.perPage)}::bigint OFFSET ${values.add(offset)}::bigint) p
    JOIN auctions a ON a.id = p.id LEFT JOIN categories c ON c.id = a.category_id ORDER BY p.place`;
  return { text, values: values.list };
}

function filterSql(
  { categoryIds, search }: Pick<AuctionListQuery, 'categoryIds' | 'search'>,
  match: Match,
  values: Values,
): string {
  let where = '';
  if (categoryIds !== null) where += ` AND a.category_id = ANY(${values.add(categoryIds)}::bigint[])`;
  if (search === null) return where;
  const words = `${values.add(search)}::text`;
  return match === 'begins'
    ? `${where} AND search_vector(title_in_all(a.title, a.translations)) @@ search_query(${words})`
    : `${where} AND search_resembles(a.title_words, search_fold(${words}))`;
}

function orderSql({ sortBy, descending, search }: AuctionListQuery, match: Match, values: Values): string {
  if (sortBy !== 'best') return `${KEYS[sortBy]} ${descending ? 'DESC' : 'ASC'}, a.id`;
  const words = `${values.add(search)}::text`;
  const rank =
    match === 'begins'
      ? `search_rank(a.title_words, search_fold(${words}), search_query(${words}))`
      : `search_distance(a.title_words, search_fold(${words}))`;
  return `${rank}, a.end_time, a.id`;
}

/** SQL for an auction's owner as JSON; `t` is its team, `u` its user where a person owns it. */
export function auctionableSql(auction: string): string {
  return `json_build_object('id', coalesce(${auction}.user_id, t.id),
    'type', CASE WHEN ${auction}.user_id IS NULL THEN 'team' ELSE 'user' END,
    'name', coalesce(u.name, t.name), 'slug', t.slug)`;
}

/** What decides who may see an auction, and its JSON text. */
export interface AuctionRow extends AuctionFactsRow {
  readonly id: number;
  readonly text: string;
}

const DETAIL = `${itemSql('a.translations')}, ${taxPercentageSql('a.sales_tax_ppm')} AS sales_tax_percentage, a.description, a.timezone,
  a.stagger_seconds,
  (SELECT count(*) FROM lots l WHERE l.auction_id = a.id AND l.status = 'active') AS lots_count,
  CASE WHEN a.soft_close_window_seconds IS NULL THEN NULL ELSE json_build_object(
    'window_seconds', a.soft_close_window_seconds, 'extension_seconds', a.soft_close_extension_seconds,
    'max_extensions', a.soft_close_max_extensions) END AS soft_close,
  json_build_object('mode', a.registration_mode,
    'deposit_amount', ${amountSql('a.registration_deposit_cents', 'a.currency')},
    'require_verified', a.registration_require_verified) AS registration,
  ${auctionableSql('a')} AS auctionable, ${conditionsSql('a')} AS conditions,
  ${saleHistorySql('a')} AS history`;

/** SQL for the conditions of an auction as they are now, as JSON; null where it has none. */
export function conditionsSql(auction: string): string {
  return `(SELECT json_build_object('version', k.version, 'text', k.text, 'published_at', ${isoSql('k.published_at')})
    FROM auction_conditions k WHERE k.auction_id = ${auction}.id AND k.version = ${auction}.conditions_version)`;
}

/** What the answer has of an auction's terms as they are stored. */
type TermsRow = Parameters<typeof shownSaleTerms>[0] & Parameters<typeof shownAuctionFormat>[0];
const TERMS = ['type', 'format', ...namesIn(shownSaleTermColumns), ...namesIn(shownFormatFields)]
  .map((name) => `a.${name}`)
  .join(', ');

/** One auction by id or slug; null where there is none. */
export async function readAuction(
  knex: Knex,
  idOrSlug: string,
  viewerId: number | null,
  baseUrl: string,
): Promise<AuctionRow | null> {
  const values = new Values();
  const wanted = values.add(idOrSlug);
  const viewer = `${values.add(viewerId)}::bigint`;
  const base = values.add(baseUrl);
  const id = /^[0-9]+$/.test(idOrSlug)
    ? `${wanted}::bigint`
    : `(SELECT id FROM auctions WHERE slug = ${wanted}::text)`;
  const text = `SELECT a.id, a.currency, ${TERMS}, ${auctionFactsSql(viewer)},
      row_to_json((SELECT item FROM (SELECT ${DETAIL}, ${mediaSql('auction_id', 'a.id', base)} AS media) AS item))::text AS text
    FROM auctions a JOIN teams t ON t.id = a.team_id LEFT JOIN users u ON u.id = a.user_id
    LEFT JOIN categories c ON c.id = a.category_id WHERE a.id = ${id}`;
  const [row] = await readPrepared<AuctionRow & TermsRow>(knex, { text, values: values.list });
  if (row === undefined) return null;
  const { whole_reserve: _, ...format } = shownAuctionFormat({ ...row, whole_reserve: null });
  const terms = { ...shownSaleTerms(row), ...format };
  return { ...row, text: `${row.text.slice(0, -1)},${JSON.stringify(terms).slice(1)}` };
}
