/**
 * Fills a migrated database with a marketplace generated from a seed: auctions, lots with land, places and media, a
 * tree of categories. The same seed gives the same rows. Written by Postgres itself in chunks, with a progress bar.
 */
import { SingleBar } from 'cli-progress';
import type { Database } from '../../adapters/postgres/database.ts';

export interface Size {
  readonly auctions: number;
  readonly lots: number;
}

const CHUNK = 20_000;
const ROOTS = 8;
const CHILDREN = 6;
/** On every second lot. */
export const BIDS_EACH = 20;

/** Takes a minute or two for half a million lots. */
export async function generateCatalog(db: Database, size: Size, seed = 42): Promise<void> {
  const bar = new SingleBar({ format: 'generating {bar} {value}/{total} rows, {eta_formatted} left' });
  bar.start(size.auctions + size.lots, 0);
  const { knex } = db;
  await knex.raw('SELECT setseed(?)', [(seed % 1000) / 1000]);
  await knex.raw(`INSERT INTO users (email, name) VALUES ('seller@example.com', 'Seller')`);
  await knex.raw(`INSERT INTO teams (name, slug, approved_at) VALUES ('Sellers', 'sellers', now())`);
  await knex.raw(CATEGORIES, [ROOTS, ROOTS, CHILDREN]);
  await knex.raw(AUCTIONS, [seed, ROOTS, CHILDREN, size.auctions]);
  bar.increment(size.auctions);
  for (let from = 1; from <= size.lots; from += CHUNK) {
    const to = Math.min(size.lots, from + CHUNK - 1);
    await knex.raw(LOTS, [seed, size.auctions, ROOTS, CHILDREN, from, to]);
    bar.increment(to - from + 1);
  }
  bar.stop();
  await knex.raw('VACUUM (ANALYZE) lots');
  await knex.raw('VACUUM (ANALYZE) lot_search');
  for (const table of ['auctions', 'categories', 'media']) await knex.raw(`ANALYZE ${table}`);
}

const CATEGORIES = `
  WITH roots AS (
    INSERT INTO categories (slug, name, position)
    SELECT 'root-' || n, 'Root ' || n, n FROM generate_series(1, ?::int) n RETURNING id)
  INSERT INTO categories (slug, name, position, parent_id)
  SELECT 'leaf-' || p || '-' || n, 'Leaf ' || p || '.' || n, n, p
  FROM generate_series(1, ?::int) p, generate_series(1, ?::int) n WHERE (SELECT count(*) FROM roots) > 0`;

/** A number from 0 to 1 that depends on the seed and the row alone. */
const dice = (salt: string) => `(abs(hashtextextended(n::text || '${salt}', seed)) % 1000000 / 1000000.0)`;

const pick = (words: readonly string[], salt: string) =>
  `(ARRAY[${words.map((word) => `'${word}'`).join(', ')}])[1 + floor(${dice(salt)} * ${words.length})::int]`;

const TOWNS = [
  'Prairie',
  'Valley',
  'Creek',
  'Mesa',
  'Timber',
  'River',
  'Summit',
  'Harbor',
  'Désert',
  'Canyon',
];
const KINDS = ['ranch', 'farm', 'acreage', 'tractor', 'orchard', 'homestead', 'trailer', 'cabin', 'vineyard'];
const STATES = ['TX', 'NM', 'OK', 'CO', 'MT', 'WY', 'ID', 'KS', 'NE', 'SD'];

const AUCTIONS = `
  INSERT INTO auctions (team_id, category_id, title, slug, status, privacy_setting, start_time, end_time, buyer_premium_bps)
  SELECT 1, 9 + floor(${dice('c')} * leaves)::int, ${pick(TOWNS, 'a')} || ' ' || ${pick(KINDS, 'b')} || ' sale ' || n,
    'auction-' || n, CASE WHEN ${dice('s')} < 0.9 THEN 'active' ELSE 'ended' END,
    CASE WHEN ${dice('p')} < 0.95 THEN 'public' ELSE 'unlisted' END,
    '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute',
    '2036-01-01T00:00:00Z'::timestamptz + floor(${dice('e')} * 500000) * interval '1 minute', 1000
  FROM (SELECT ?::bigint AS seed, ?::int * ?::int AS leaves) given, generate_series(1, ?::int) n`;

const LOTS = `
  INSERT INTO lots (auction_id, category_id, lot_number, title, slug, sku, description, starting_bid_cents, county, state,
    postal_code, country, lat, lng, acres, zoning, road_access, water_access, status, bid_count, current_bid_cents,
    live_end_time, original_end_time)
  SELECT auction, 9 + floor(${dice('c')} * leaves)::int, (n - 1) / auctions + 1,
    floor(${dice('q')} * 500)::int || ' acre ' || ${pick(TOWNS, 'a')} || ' ' || ${pick(KINDS, 'b')} || ' ' || n,
    'lot-' || n, 'SKU-' || n, 'A ' || ${pick(KINDS, 'd')} || ' by the ' || lower(${pick(TOWNS, 'f')}) || ', lot ' || n,
    100 * (1 + floor(${dice('g')} * 5000)::bigint), 'County ' || floor(${dice('h')} * 250)::int, ${pick(STATES, 'i')},
    lpad(floor(${dice('j')} * 5000)::text, 5, '0'), 'US', 25 + ${dice('k')} * 24, -124 + ${dice('l')} * 55,
    round((${dice('m')} * 640)::numeric, 2), ${pick(['AG', 'R1', 'R2', 'C1'], 'n')}, ${dice('o')} < 0.6, ${dice('r')} < 0.2,
    CASE WHEN ${dice('s')} < 0.9 THEN 'active' ELSE 'sold' END, CASE WHEN ${dice('t')} < 0.5 THEN ${BIDS_EACH} ELSE 0 END,
    CASE WHEN ${dice('t')} < 0.5 THEN 600000 + 100 * floor(${dice('u')} * 9000)::bigint ELSE 0 END,
    '2036-01-01T00:00:00Z'::timestamptz + auction * interval '3 minutes', '2036-01-01T00:00:00Z'
  FROM (SELECT ?::bigint AS seed, ?::int AS auctions, ?::int * ?::int AS leaves) given,
    generate_series(?::int, ?::int) n, LATERAL (SELECT (n - 1) % auctions + 1 AS auction) placed`;
