/** Where people and teams get their post, as invoices print it, and what a team says about itself on its page. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users ADD COLUMN postal_address text CHECK (length(postal_address) <= 500);
    ALTER TABLE teams ADD COLUMN postal_address text CHECK (length(postal_address) <= 500);
    ALTER TABLE teams ADD COLUMN about text CHECK (length(about) <= 5000);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users DROP COLUMN postal_address;
    ALTER TABLE teams DROP COLUMN postal_address;
    ALTER TABLE teams DROP COLUMN about;
  `);
}
