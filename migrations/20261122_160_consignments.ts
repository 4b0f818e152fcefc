/**
 * Consignors by their own word: whom the seller named, and whether they accepted. `consignor_id` stays who is the consignor, as the lot's
 * journal says; those that are there already have been taken at their word.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN named_consignor_id bigint REFERENCES users,
      ADD COLUMN consignment_accepted boolean NOT NULL DEFAULT false;
    CREATE INDEX lots_named_consignor ON lots (named_consignor_id) WHERE named_consignor_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lots DROP COLUMN named_consignor_id, DROP COLUMN consignment_accepted;');
}
