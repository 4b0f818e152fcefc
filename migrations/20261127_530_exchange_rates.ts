/** What currencies are about worth, as the operator says it: a line each. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE operator_settings ADD COLUMN rates text CHECK (rates <> '')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE operator_settings DROP COLUMN rates');
}
