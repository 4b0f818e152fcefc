/** What the office's queue reads: who waits for verification, which mails were given up. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX users_pending ON users (id) WHERE verification_status = 'pending';
    CREATE INDEX mails_failed ON mails (failed_at) WHERE failed_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX mails_failed; DROP INDEX users_pending;');
}
