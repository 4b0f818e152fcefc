/** A payment link leads back to the address that we had when it was made; under another one it is made anew. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE invoices ADD COLUMN checkout_base text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE invoices DROP COLUMN checkout_base');
}
