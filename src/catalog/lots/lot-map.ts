/**
 * Lots on the map: GeoJSON, serialized once for each read except for the live fields, which are appended to each
 * feature. While no lot's state changes, the whole answer is reused.
 */
import type { Knex } from 'knex';
import { weakTag } from '../../../adapters/http/serialize.ts';
import { runPrepared, Values } from '../../../adapters/postgres/prepared.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { lotView } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type Decimals, decimalsOf, formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { CACHE_TIMES, type CacheTimes } from '../../shared/caching/cache-times.ts';
import { SharedReads } from '../../shared/caching/shared-reads.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import { type Translations, titlesSql } from '../../shared/translations.ts';
import { listsLotSql } from '../../shared/visibility/visibility-sql.ts';
import { mediaUrl, thumbnailKeySql } from '../media-presentation.ts';
import { END_TIME, filtersByPrice, type LotFilter, listedByJoinSql, wholeFilterSql } from './lot-filters.ts';
import { type LiveRows, withLive } from './lot-item.ts';
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
  lng: number,
  lat: number,
  title: string,
  slug: string,
  acres: string | null,
  thumbnailKey: string | null,
  currency: string,
  startingBidCents: number,
  translations: Translations,
];

/** A row with what no bid moves printed, as the beginning of the feature's text. */
type Feature = readonly [
  id: number,
  auctionId: number,
  status: string,
  currentBidCents: number,
  endTime: string,
  text: string,
  decimals: Decimals,
];

/** A FeatureCollection as sent. */
export interface SerializedMap {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** What one read found, and how it was printed last. */
interface StoredMap {
  readonly features: readonly Feature[];
  last: { readonly live: LiveRows<Feature>; readonly serialized: SerializedMap } | null;
}

export class LotMaps {
  readonly #knex: Knex;
  readonly #journal: Journal;
  readonly #maps: ShortCache<StoredMap>;
  readonly #shared = new SharedReads<SerializedMap>();

  constructor(parts: { readonly knex: Knex; readonly journal: Journal }, times: CacheTimes = CACHE_TIMES) {
    this.#knex = parts.knex;
    this.#journal = parts.journal;
    this.#maps = new ShortCache(times.listMs, 50);
  }

  /** The whole FeatureCollection. Concurrent requests for the same share one read. */
  read(query: LotMapQuery): Promise<SerializedMap> {
    const key = JSON.stringify(query);
    return this.#shared.get(key, () => this.#read(key, query));
  }

  async #read(key: string, query: LotMapQuery): Promise<SerializedMap> {
    const stored = await this.#maps.get(key, async () => ({ features: await this.#rows(query), last: null }));
    const live = await withLive(this.#journal, stored.features, query.filter.status);
    if (stored.last === null || !isSame(stored.last.live, live)) {
      stored.last = { live, serialized: serializeMap(live) };
    }
    return stored.last.serialized;
  }

  async #rows(query: LotMapQuery): Promise<Feature[]> {
    const { search } = query.filter;
    let rows = await runPrepared<FeatureRow>(this.#knex, mapStatement(query, 'begins'));
    if (rows.length === 0 && search !== null) {
      rows = await runPrepared<FeatureRow>(this.#knex, mapStatement(query, 'resembles'));
    }
    return rows.map((row) => featureOf(row, query.baseUrl));
  }
}

/**
 * Lots with a place, in the order of their ids; plain columns, because printing a thousand of them costs Postgres
 * twice as much.
 */
export function mapStatement({ filter, limit }: LotMapQuery, match: 'begins' | 'resembles') {
  const values = new Values();
  const listed = listedByJoinSql(filter);
  const where = wholeFilterSql(filter, values);
  const lots = filtersByPrice(filter)
    ? '(SELECT lots.*, p.price_cents FROM lots JOIN priced_lots p ON p.id = lots.id) l'
    : 'lots l';
  const text = `SELECT l.id, l.auction_id, l.status, l.current_bid_cents, ${END_TIME}, l.lng, l.lat, l.title, l.slug,
    l.acres,
      ${thumbnailKeySql('l.id')}, a.currency, l.starting_bid_cents, ${titlesSql('l')}
    FROM ${lots} JOIN auctions a ON a.id = l.auction_id ${searchJoin(filter, match, values)}
    WHERE ${listsLotSql(filter.status)} AND ${listed} AND l.lat IS NOT NULL AND ${where}
    ORDER BY l.id LIMIT ${values.add(limit)}::bigint`;
  return { text, values: values.list, once: isParticular(filter) };
}

function searchJoin({ search }: LotFilter, match: 'begins' | 'resembles', values: Values): string {
  if (search === null) return '';
  const words = `${values.add(search)}::text`;
  const found =
    match === 'begins'
      ? `s.words @@ search_query(${words})`
      : `search_resembles(s.title_words, search_fold(${words}))`;
  return `JOIN lot_search s ON s.lot_id = l.id AND ${found}`;
}

/** States are never changed, only replaced. */
function isSame(one: LiveRows<Feature>, other: LiveRows<Feature>): boolean {
  if (one.stale !== other.stale || one.kept.length !== other.kept.length) return false;
  return one.kept.every(({ row, state }, at) => {
    const { row: otherRow, state: otherState } = itemAt(other.kept, at);
    return row === otherRow && state === otherState;
  });
}

function serializeMap({ kept, stale }: LiveRows<Feature>): SerializedMap {
  const features = kept.map(({ row, state }) => featureText(row, state));
  const meta = stale ? ',"meta":{"stale":true}' : '';
  const bytes = Buffer.from(`{"type":"FeatureCollection","features":[${features.join(',')}]${meta}}`);
  return { bytes, etag: weakTag(bytes) };
}

function featureOf(row: FeatureRow, baseUrl: string): Feature {
  const [
    id,
    auctionId,
    status,
    cents,
    endTime,
    lng,
    lat,
    title,
    slug,
    acres,
    thumbnailKey,
    currency,
    starting,
    translations,
  ] = row;
  const thumbnail = JSON.stringify(mediaUrl(baseUrl, thumbnailKey));
  const text = `{"type":"Feature","id":${id},"geometry":{"type":"Point","coordinates":[${lng},${lat}]},"properties":{"lot_id":${id},"title":${JSON.stringify(
    title,
  )},"translations":${JSON.stringify(translations)},"slug":"${slug}","acres":${acres === null ? null : Number(acres)},"thumbnail_url":${thumbnail},"currency":"${currency}","starting_bid":"${formatCents(starting, decimalsOf(currency))}"`;
  return [id, auctionId, status, cents, endTime, text, decimalsOf(currency)];
}

function featureText(
  [, , status, cents, endTime, text, decimals]: Feature,
  state: LotState | undefined,
): string {
  const live =
    state === undefined
      ? liveText(cents, status, endTime, decimals)
      : liveText(priceOf(state), state.status, isoFromUs(state.endsAtUs), decimals);
  return `${text},${live}}}`;
}

/** As its format tells it to everybody; null: it does not. */
function priceOf(state: LotState): number | null {
  const sight = { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: state.recordedAtUs };
  return lotView(state, sight).currentCents;
}

const liveText = (cents: number | null, status: string, endTime: string, decimals: Decimals) =>
  `"current_bid":${cents === null ? 'null' : `"${formatCents(cents, decimals)}"`},"status":"${status}","end_time":"${endTime}"`;
