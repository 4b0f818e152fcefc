/**
 * Who sold and who bought, on their invoice: what both were called and where they lived when it was made. Invoices from
 * before have none, and say what is so today.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE invoices ADD COLUMN parties jsonb`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE invoices DROP COLUMN parties`);
}
