/** What the office's reports read: lots by when they closed, invoices and disputes by when they were made. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX lots_closed ON lots (closed_at) WHERE closed_at IS NOT NULL;
    CREATE INDEX invoices_made ON invoices (created_at) WHERE kind = 'winner';
    CREATE INDEX ledger_postings_disputes ON ledger_postings (created_at) WHERE kind = 'dispute';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX ledger_postings_disputes; DROP INDEX invoices_made; DROP INDEX lots_closed;');
}
