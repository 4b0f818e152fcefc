/**
 * Salerooms: which lot of a simulcast auction is on the block, and whether fair warning has been given. A warning is
 * for the lot as it stood at a sequence of its journal: the next bid ends it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE salerooms (
      auction_id bigint PRIMARY KEY REFERENCES auctions ON DELETE CASCADE,
      lot_id bigint REFERENCES lots ON DELETE SET NULL,
      warned_sequence bigint,
      changed_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX salerooms_lot ON salerooms (lot_id) WHERE lot_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE salerooms;');
}
