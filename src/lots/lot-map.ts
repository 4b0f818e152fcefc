/** Lots on the map: GeoJSON that Postgres prints but for the live fields, which are put in at the end of each feature. */
import type { Knex } from 'knex';
import { runPrepared, Values } from '../../adapters/postgres/prepared.ts';
import type { Journal } from '../../engine/journal.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { formatCents } from '../../engine/money.ts';
import { isoFromUs } from '../../engine/time.ts';
import { CACHE_TIMES, type CacheTimes } from '../catalog/cache-times.ts';
import { ShortCache } from '../catalog/short-cache.ts';
import { isoSql, thumbnailSql } from '../media/media-presentation.ts';
import { END_TIME, type LotFilter, listedSql, wholeFilterSql } from './lot-filters.ts';
import { withLive } from './lot-item.ts';
import { isParticular } from './lot-list-statements.ts';

export interface LotMapQuery {
  readonly filter: LotFilter;
  /** Features at most. */
  readonly limit: number;
  readonly baseUrl: string;
}

type FeatureRow = readonly [
  id: number,
  auctionId: number,
  status: string,
  currentBidCents: number,
  endTime: string,
  geometry: string,
  properties: string,
];

export class LotMaps {
  readonly #knex: Knex;
  readonly #journal: Journal;
  readonly #features: ShortCache<FeatureRow[]>;

  constructor(parts: { readonly knex: Knex; readonly journal: Journal }, times: CacheTimes = CACHE_TIMES) {
    this.#knex = parts.knex;
    this.#journal = parts.journal;
    this.#features = new ShortCache(times.listMs, 50);
  }

  /** The whole FeatureCollection as text. */
  async read(query: LotMapQuery): Promise<string> {
    const rows = await this.#features.get(JSON.stringify(query), () => this.#rows(query));
    const { kept, stale } = await withLive(this.#journal, rows, query.filter.status);
    const features = kept.map(({ row, state }) => featureText(row, state));
    const meta = stale ? ',"meta":{"stale":true}' : '';
    return `{"type":"FeatureCollection","features":[${features.join(',')}]${meta}}`;
  }

  async #rows(query: LotMapQuery): Promise<FeatureRow[]> {
    const { search } = query.filter;
    const rows = await runPrepared<FeatureRow>(this.#knex, mapStatement(query, 'begins'));
    if (rows.length > 0 || search === null) return rows;
    return runPrepared<FeatureRow>(this.#knex, mapStatement(query, 'resembles'));
  }
}

/** Lots with a place, in the order of their ids. */
export function mapStatement({ filter, limit, baseUrl }: LotMapQuery, match: 'begins' | 'resembles') {
  const values = new Values();
  const base = values.add(baseUrl);
  const status = filter.status === null ? "l.status <> 'draft'" : `l.status = '${filter.status}'`;
  const listed = listedSql(filter, filter.statuses[0]!);
  const where = wholeFilterSql(filter, values);
  const text = `SELECT l.id, l.auction_id, l.status, l.current_bid_cents, ${isoSql(END_TIME)},
      json_build_array(l.lng, l.lat)::text,
      row_to_json((SELECT p FROM (SELECT l.id AS lot_id, l.title, l.slug, l.acres::float8 AS acres,
        ${thumbnailSql('l.id', base)} AS thumbnail_url) AS p))::text
    FROM lots l JOIN auctions a ON a.id = l.auction_id ${searchJoin(filter, match, values)}
    WHERE ${status} AND ${listed} AND l.lat IS NOT NULL AND ${where}
    ORDER BY l.id LIMIT ${values.add(limit)}::bigint`;
  return { text, values: values.list, once: isParticular(filter) };
}

function searchJoin({ search }: LotFilter, match: 'begins' | 'resembles', values: Values): string {
  if (search === null) return '';
  const given = `${values.add(search)}::text`;
  const found =
    match === 'begins'
      ? `s.words @@ search_query(${given})`
      : `search_resembles(s.title_words, search_fold(${given}))`;
  return `JOIN lot_search s ON s.lot_id = l.id AND ${found}`;
}

function featureText(row: FeatureRow, state: LotState | undefined): string {
  const [id, , storedStatus, storedCents, storedEnd, coordinates, properties] = row;
  const status = state?.status ?? storedStatus;
  const cents = state?.currentCents ?? storedCents;
  const endTime = state === undefined ? storedEnd : isoFromUs(state.endsAtUs);
  const live = `"current_bid":"${formatCents(cents)}","status":"${status}","end_time":"${endTime}"`;
  return `{"type":"Feature","id":${id},"geometry":{"type":"Point","coordinates":${coordinates}},"properties":${properties.slice(0, -1)},${live}}}`;
}
