/**
 * What is set aside only until somebody else's lock on its rows is released is tried again by the workers themselves, and is
 * no failure unless it lasts: `reported_at` says since when it counts as one. What Postgres refuses counts at once.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE projection_failures
      ADD COLUMN transient boolean NOT NULL DEFAULT false,
      ADD COLUMN reported_at timestamptz DEFAULT now();
    CREATE INDEX projection_failures_transient ON projection_failures (shard) WHERE transient;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE projection_failures DROP COLUMN transient, DROP COLUMN reported_at');
}
