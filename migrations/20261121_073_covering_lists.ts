/**
 * Lists within a box, above a price, of a county and, by price, of a state are put together from the index alone: so many rows are
 * passed over on the way to a far page that looking each up in the table was most of the work. Every bid writes these indexes anyway.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // What Postgres knows of an expression's values goes with its index, so it has to look at them again.
  await knex.raw(`
    DROP INDEX lots_by_number, lots_by_place, lots_by_county, lots_by_state;
    CREATE INDEX lots_by_number ON lots (status, lot_number, id)
      INCLUDE (auction_id, bid_count, current_bid_cents, starting_bid_cents);
    CREATE INDEX lots_by_place ON lots (lat, lng) INCLUDE (status, auction_id, lot_number, id) WHERE lat IS NOT NULL;
    CREATE INDEX lots_by_county ON lots (status, lower(county), lot_number, id) INCLUDE (auction_id, county, live_end_time);
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id)
      INCLUDE (auction_id, state, acres, road_access, water_access, current_bid_cents);
    ANALYZE lots;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX lots_by_number, lots_by_place, lots_by_county, lots_by_state;
    CREATE INDEX lots_by_number ON lots (status, lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_place ON lots (lat, lng) WHERE lat IS NOT NULL;
    CREATE INDEX lots_by_county ON lots (status, lower(county), lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id)
      INCLUDE (auction_id, state, acres, road_access, water_access);
    ANALYZE lots;
  `);
}
