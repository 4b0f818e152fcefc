/** The office says the operator's logo, and whom mails are from, as well. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE operator_settings ADD COLUMN logo text CHECK (logo <> ''), ADD COLUMN mail_from text CHECK (mail_from <> '')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE operator_settings DROP COLUMN logo, DROP COLUMN mail_from');
}
