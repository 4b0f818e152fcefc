/** Lots that are sold by the unit: how many units they have, what one is called, and what amounts are for. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots
      ADD COLUMN units numeric(14, 4) CHECK (units > 0),
      ADD COLUMN unit_name text,
      ADD COLUMN bid_per text NOT NULL DEFAULT 'lot'
        CHECK (bid_per IN ('lot', 'unit') AND (bid_per = 'lot' OR units IS NOT NULL));
    ALTER TABLE offers ADD COLUMN unit_price_cents bigint`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE offers DROP COLUMN unit_price_cents;
    ALTER TABLE lots DROP COLUMN units, DROP COLUMN unit_name, DROP COLUMN bid_per`);
}
