/**
 * Who writes the journal is known after a crash of Postgres too: a table that is not logged is empty then, and a Redis
 * that came back older at the same time would be compared without waiting for what each process knows.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE journal_writers SET LOGGED');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE journal_writers SET UNLOGGED');
}
