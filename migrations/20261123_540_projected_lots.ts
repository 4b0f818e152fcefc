/**
 * What a bid changes about a lot reaches Postgres as an array of these, in binary: taking the same out of JSON, field by
 * field, cost as much as writing the lot. Whoever needs another column makes another type: a process of the release
 * before still sends this one.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TYPE projected_lot AS (
      id bigint,
      auction_id bigint,
      status text,
      current_bid_cents bigint,
      bid_count integer,
      minimum_next_bid_cents bigint,
      reserve_met boolean,
      leader_key text,
      leader_user_id bigint,
      live_end timestamptz,
      original_end timestamptz,
      extension_count integer,
      extended_by_outage boolean,
      hammer_price_cents bigint,
      winner_user_id bigint,
      sequence bigint,
      head_hash text,
      closed timestamptz,
      starting_bid_cents bigint,
      reserve_price_cents bigint,
      buy_now_price_cents bigint,
      consignor_id bigint,
      is_finished boolean,
      entry_count integer,
      snapshot text
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TYPE projected_lot');
}
