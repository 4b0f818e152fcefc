/**
 * An auction says in which language its own texts and those of its lots are first written, so that pages can say it to
 * browsers and screen readers; null: its seller has not said.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE auctions ADD COLUMN language text CHECK (language ~ '^[a-z]{2}$')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE auctions DROP COLUMN language');
}
