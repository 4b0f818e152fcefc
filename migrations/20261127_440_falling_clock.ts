/** Lots on a falling clock, and lots of which several people buy a part: each of them has an invoice. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots
      ADD COLUMN start_price numeric CHECK (start_price > 0),
      ADD COLUMN step numeric CHECK (step > 0),
      ADD COLUMN step_seconds integer CHECK (step_seconds BETWEEN 1 AND 86400),
      ADD COLUMN floor_price numeric CHECK (floor_price > 0),
      ADD COLUMN floor_seconds integer CHECK (floor_seconds BETWEEN 0 AND 86400);
    ALTER TABLE invoices ADD COLUMN bid_id text;
    DROP INDEX invoices_one_for_lot;
    CREATE UNIQUE INDEX invoices_one_for_sale ON invoices (lot_id, coalesce(bid_id, ''))
      WHERE kind = 'winner' AND status IN ('draft', 'open', 'paid')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX invoices_one_for_sale;
    CREATE UNIQUE INDEX invoices_one_for_lot ON invoices (lot_id)
      WHERE kind = 'winner' AND status IN ('draft', 'open', 'paid');
    ALTER TABLE invoices DROP COLUMN bid_id;
    ALTER TABLE lots DROP COLUMN start_price, DROP COLUMN step, DROP COLUMN step_seconds,
      DROP COLUMN floor_price, DROP COLUMN floor_seconds`);
}
