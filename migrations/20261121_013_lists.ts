/**
 * The orders and filters of the public lists. Every order begins with the status, because a list shows one; ties go by id in
 * either direction, which is why the prices, where thousands may be equal, have an index for each. Indexes over expressions
 * cover all rows: of partial ones Postgres does not learn how often a value occurs.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX lots_by_id ON lots (status, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_number ON lots (status, lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_title ON lots (status, lower(title) COLLATE "C", id);
    CREATE INDEX lots_by_start ON lots (status, starting_bid_cents, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_start_down ON lots (status, starting_bid_cents DESC, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_bid ON lots (status, current_bid_cents, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_bid_down ON lots (status, current_bid_cents DESC, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_end ON lots (status, live_end_time, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_category ON lots (status, category_id, lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_price ON lots ((CASE WHEN bid_count > 0 THEN current_bid_cents ELSE starting_bid_cents END));
    CREATE INDEX lots_by_acres ON lots (acres) WHERE acres IS NOT NULL;
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_county ON lots (status, lower(county), lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_postal_code ON lots (lower(postal_code));
    CREATE INDEX lots_by_zoning ON lots (lower(zoning));
    CREATE INDEX lots_by_place ON lots (lat, lng) WHERE lat IS NOT NULL;
    CREATE INDEX help_articles_search ON help_articles USING gin (search_vector(title || ' ' || body));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX help_articles_search;
    DROP INDEX lots_by_id, lots_by_number, lots_by_title, lots_by_start, lots_by_start_down, lots_by_bid,
      lots_by_bid_down, lots_by_end, lots_by_category, lots_by_price, lots_by_acres, lots_by_state, lots_by_county, lots_by_postal_code, lots_by_zoning,
      lots_by_place;
  `);
}
