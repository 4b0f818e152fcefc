/**
 * A marketplace of some years: the generated catalog, people, and what they have bid, as Postgres has it once all is
 * projected. Lots that are over are in no journal of Redis. The bench of sizes calls it.
 */
import type { Database } from '../../adapters/postgres/database.ts';
import { BIDS_EACH, generateCatalog } from '../catalog/generate.ts';

/** How much of everything there is, by the number of lots. */
export interface Size {
  readonly lots: number;
  readonly bids: number;
  readonly people: number;
  /** Streams of one lot. */
  readonly viewers: number;
}

/** Half of the lots have bids. */
export function sizeOf(lots: number): Size {
  return { lots, bids: (lots / 2) * BIDS_EACH, people: lots / 10, viewers: lots / 1_000 };
}

const CHUNK = 50_000;

/** Takes some minutes for a million lots. */
export async function fill(db: Database, { lots, people }: Size): Promise<void> {
  const { knex } = db;
  await generateCatalog(db, { lots, auctions: Math.max(16, Math.round(lots / 250)) });
  // Nothing is left to be settled, and every lot may be read.
  await knex('auctions').update({ status: 'active', privacy_setting: 'public' });
  // SQL: as many rows as wanted, made where they are kept.
  await knex.raw(
    `INSERT INTO users (email, name) SELECT 'person-' || n || '@example.org', 'Person ' || n FROM generate_series(1, ?::int) n`,
    [people],
  );
  for (let from = 1; from <= lots; from += CHUNK) await knex.raw(BIDS, [people, from, from + CHUNK - 1]);
  for (const table of ['users', 'bids']) await knex.raw(`VACUUM (ANALYZE) ${table}`);
}

const BIDS = `
  INSERT INTO bids (bid_id, lot_id, auction_id, sequence, user_id, ceiling_cents, amount_cents, placed_at, listed, outcome,
    channel, bidder_key, alias, paddle_number, entry_hash)
  SELECT lpad(l.id::text, 10, '0') || lpad(n::text, 16, '0'), l.id, l.auction_id, n,
    1 + (abs(hashtextextended(l.id || '-' || n, 1)) % people), 10000 * n, 10000 * n, l.created_at + n * interval '1 minute',
    true, CASE WHEN n < l.bid_count THEN 'outbid' WHEN l.status = 'sold' THEN 'won' ELSE 'leading' END, 'online', 'person',
    'Bidder ' || n, n::text, md5(l.id || '-' || n) || md5(n || '-' || l.id)
  FROM (SELECT ?::bigint AS people) given, lots l, generate_series(1, l.bid_count) n
  WHERE l.id BETWEEN ?::int AND ?::int AND l.bid_count > 0`;
