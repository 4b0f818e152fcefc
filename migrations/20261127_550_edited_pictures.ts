/** A picture that was turned or cropped: what was done, and the file that it is made from. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE media ADD COLUMN original_key text, ADD COLUMN edit jsonb;
    CREATE UNIQUE INDEX media_by_original ON media (original_key) WHERE original_key IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE media DROP COLUMN original_key, DROP COLUMN edit');
}
