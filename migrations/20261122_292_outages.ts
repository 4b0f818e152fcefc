/** Whether a lot's end was last moved by an outage of the journal, for lots that have left it. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lots ADD COLUMN extended_by_outage boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lots DROP COLUMN extended_by_outage');
}
