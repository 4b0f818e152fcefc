/**
 * Which servers hold the journal, by Redis' replication ids, and the epoch from before the last failover: so that a failover moves the
 * epoch once, and a server that was replaced takes no bids when it comes back.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE journal_meta ADD COLUMN previous_epoch text, ADD COLUMN servers text[]');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE journal_meta DROP COLUMN previous_epoch, DROP COLUMN servers');
}
