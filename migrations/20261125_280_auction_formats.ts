/** The way an auction sells: its format, as the engine's list names it. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE auctions ADD COLUMN format text NOT NULL DEFAULT 'timed'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE auctions DROP COLUMN format');
}
