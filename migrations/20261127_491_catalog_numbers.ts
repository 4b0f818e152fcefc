/** Lots have a number of their own in the catalog, such as 12A, and the names of the files that their photographs are in. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN catalog_number text, ADD COLUMN photos text[] NOT NULL DEFAULT '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lots DROP COLUMN catalog_number, DROP COLUMN photos');
}
