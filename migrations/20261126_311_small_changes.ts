/**
 * A sale's history also has changes that are too small to need a reason, so that many of them count as one.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE sale_changes ALTER COLUMN reason DROP NOT NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM sale_changes WHERE reason IS NULL;
    ALTER TABLE sale_changes ALTER COLUMN reason SET NOT NULL;
  `);
}
