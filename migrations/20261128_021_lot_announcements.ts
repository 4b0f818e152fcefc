/** What the bidders of a lot are told of although no bid did it, with those whose bids nobody else may know of. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE lot_announcements (
      lot_id bigint REFERENCES lots ON DELETE CASCADE,
      kind text CHECK (kind IN ('withdrawn', 'bid_again')),
      -- By the journal's clock.
      happened_at timestamptz NOT NULL,
      reason text,
      bidder_ids jsonb NOT NULL CHECK (jsonb_typeof(bidder_ids) = 'array'),
      PRIMARY KEY (lot_id, kind)
    );
    CREATE INDEX lot_announcements_lately ON lot_announcements (happened_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE lot_announcements');
}
