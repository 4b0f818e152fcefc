/**
 * Which accepted offers the lots' journals tell of. Those that were accepted before are told of by the next round of
 * the clock.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE offers ADD COLUMN recorded_at timestamptz;
    CREATE INDEX offers_unrecorded ON offers (id) WHERE status = 'accepted' AND recorded_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX offers_unrecorded; ALTER TABLE offers DROP COLUMN recorded_at;');
}
