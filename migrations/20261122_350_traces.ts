/**
 * What a trace goes on by, where traces are on: the contexts of the commands behind a journal entry, beside what is hashed, and
 * the context that a fact or a mail came of. A mail also says which bid it is about, so that the log can.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE journal_entries ADD COLUMN traces jsonb;
    ALTER TABLE events ADD COLUMN trace text;
    ALTER TABLE mails ADD COLUMN trace text, ADD COLUMN bid_id text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE mails DROP COLUMN bid_id, DROP COLUMN trace;
    ALTER TABLE events DROP COLUMN trace;
    ALTER TABLE journal_entries DROP COLUMN traces;
  `);
}
