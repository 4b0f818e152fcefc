/**
 * Lists by price and by state answer their usual filters from the index alone: among thousands of equal prices each row of the
 * table that had to be looked at was a page read. Who leads or has won is only ever asked beside the bidder's own bids, so two
 * indexes that every bid had to write are gone.
 */
import type { Knex } from 'knex';

const FILTERS = 'auction_id, state, acres, road_access, water_access';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX lots_leader, lots_winner, lots_by_bid, lots_by_bid_down, lots_by_state;
    CREATE INDEX lots_by_bid ON lots (status, current_bid_cents, id) INCLUDE (${FILTERS});
    CREATE INDEX lots_by_bid_down ON lots (status, current_bid_cents DESC, id) INCLUDE (${FILTERS});
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id) INCLUDE (${FILTERS});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX lots_by_bid, lots_by_bid_down, lots_by_state;
    CREATE INDEX lots_by_bid ON lots (status, current_bid_cents, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_bid_down ON lots (status, current_bid_cents DESC, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_leader ON lots (leader_user_id) WHERE leader_user_id IS NOT NULL;
    CREATE INDEX lots_winner ON lots (winner_user_id) WHERE winner_user_id IS NOT NULL;
  `);
}
