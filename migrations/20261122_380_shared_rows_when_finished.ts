/**
 * Bids share a row of the outbox (`360`) only once no process of a release from before runs any more, which would tell
 * them without their amounts: a marketplace that was there before is switched by `rostrum migrate --finish`, a new one
 * begins so.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE journal_meta ADD COLUMN bids_share_rows boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE journal_meta DROP COLUMN bids_share_rows');
}
