/** Why bids were refused, for staff to look up; and mails by whom they went to. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE refused_bids ADD COLUMN message text CHECK (length(message) <= 500);
    CREATE INDEX refused_bids_lately ON refused_bids (refused_at);
    CREATE INDEX mails_to_person ON mails (recipient, created_at) WHERE kind = 'security';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX mails_to_person; DROP INDEX refused_bids_lately;
    ALTER TABLE refused_bids DROP COLUMN message;
  `);
}
