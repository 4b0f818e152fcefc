/**
 * Lots that are sold together each have a row of their own for those who read them; the journal's own row, of the lot
 * that hosts it, has no host.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lot_states ADD COLUMN host_id bigint;
    CREATE INDEX lot_states_by_host ON lot_states (host_id) WHERE host_id IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lot_states DROP COLUMN host_id');
}
