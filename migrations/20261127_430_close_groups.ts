/** Lots of an auction that close together. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN close_group text CHECK (char_length(close_group) BETWEEN 1 AND 64);
    CREATE INDEX lots_by_close_group ON lots (auction_id, close_group) WHERE close_group IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lots DROP COLUMN close_group');
}
