/** What a team's new auctions begin with where they say nothing themselves. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE teams ADD COLUMN sale_defaults jsonb NOT NULL DEFAULT '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE teams DROP COLUMN sale_defaults');
}
