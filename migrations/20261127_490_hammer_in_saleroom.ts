/** The lot on which the hammer fell last: its result can be taken back for a few seconds. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE salerooms ADD COLUMN hammer_lot_id bigint REFERENCES lots ON DELETE SET NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE salerooms DROP COLUMN hammer_lot_id');
}
