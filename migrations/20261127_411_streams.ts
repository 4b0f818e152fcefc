/** The address of picture and sound of a saleroom, as its page shows them. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE auctions ADD COLUMN stream_url text;');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE auctions DROP COLUMN stream_url;');
}
