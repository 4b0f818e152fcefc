/** When a saved search is next asked: one that fails waits behind the others, which it kept from their turn before. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE saved_searches ADD COLUMN due_at timestamptz NOT NULL DEFAULT now() + interval '1 minute';
    UPDATE saved_searches SET due_at = checked_at + interval '1 minute';
    DROP INDEX saved_searches_due;
    CREATE INDEX saved_searches_due ON saved_searches (due_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE saved_searches DROP COLUMN due_at;
    CREATE INDEX saved_searches_due ON saved_searches (checked_at);
  `);
}
