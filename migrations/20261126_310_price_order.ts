/**
 * Lists are ordered by the price on the card, which is what they are filtered by: two indexes in that order take the
 * place of the one that had the price without the id, and of the one by bids downwards, so that a bid writes as many
 * entries as before.
 */
import type { Knex } from 'knex';

const FILTERS = 'auction_id, state, acres, road_access, water_access';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX priced_lots_by_price, priced_lots_by_bid_down;
    CREATE INDEX priced_lots_by_price ON priced_lots (status, price_cents, id) INCLUDE (${FILTERS});
    CREATE INDEX priced_lots_by_price_down ON priced_lots (status, price_cents DESC, id) INCLUDE (${FILTERS});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX priced_lots_by_price, priced_lots_by_price_down;
    CREATE INDEX priced_lots_by_price ON priced_lots (status, price_cents) INCLUDE (id, auction_id);
    CREATE INDEX priced_lots_by_bid_down ON priced_lots (status, current_bid_cents DESC, id) INCLUDE (${FILTERS});
  `);
}
