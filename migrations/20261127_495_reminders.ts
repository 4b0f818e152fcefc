/** When the buyer of an open invoice was last reminded of it: once it was overdue, or by its seller. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE invoices ADD COLUMN reminded_at timestamptz;
    CREATE INDEX invoices_reminded ON invoices (reminded_at) WHERE status = 'open' AND reminded_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE invoices DROP COLUMN reminded_at');
}
