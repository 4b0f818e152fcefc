/**
 * Lots that are sold in any combination: one of them hosts the journal of all. A bid is a row of the host's, with the
 * lots that it is for.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions
      ADD COLUMN whole_reserve numeric CHECK (whole_reserve > 0),
      ADD COLUMN sell_parts boolean,
      ADD COLUMN combinations_from timestamptz;
    ALTER TABLE lots ADD COLUMN host_id bigint;
    CREATE INDEX lots_by_host ON lots (host_id) WHERE host_id IS NOT NULL;
    ALTER TABLE bids ADD COLUMN lot_ids jsonb;
    ALTER TABLE invoices ADD COLUMN set jsonb`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE invoices DROP COLUMN set;
    ALTER TABLE bids DROP COLUMN lot_ids;
    ALTER TABLE lots DROP COLUMN host_id;
    ALTER TABLE auctions DROP COLUMN whole_reserve, DROP COLUMN sell_parts, DROP COLUMN combinations_from`);
}
