/** A team's tax number, as invoices print it beside its address. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE teams ADD COLUMN tax_number text CHECK (length(tax_number) <= 50)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE teams DROP COLUMN tax_number');
}
