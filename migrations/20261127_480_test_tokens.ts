/** Tokens of kind `test`, which are passed on to the test service and are none here. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tokens ADD COLUMN kind text NOT NULL DEFAULT 'live' CHECK (kind IN ('live', 'test'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE tokens DROP COLUMN kind');
}
