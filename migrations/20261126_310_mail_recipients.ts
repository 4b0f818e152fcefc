/**
 * Mails of notifications are batched for each person, whatever they are about: which notifications wait for one and
 * until when, and when the person is looked at next. The table was that of mails about outbid lots alone; the previous
 * release goes on with it under its name. A mail says what it is about, by which those of the last hour are counted.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE outbid_mails RENAME TO mail_recipients;
    ALTER TABLE mail_recipients ADD COLUMN wakes_at timestamptz, ALTER COLUMN gap_seconds SET DEFAULT 60;
    CREATE INDEX mail_recipients_wakes ON mail_recipients (wakes_at) WHERE wakes_at IS NOT NULL;
    CREATE VIEW outbid_mails AS SELECT user_id, waits_since, mailed_at, gap_seconds, due_at FROM mail_recipients;
    ALTER TABLE notifications ADD COLUMN mail_after timestamptz, ADD COLUMN trace text, ADD COLUMN bid_id text;
    CREATE INDEX notifications_to_mail ON notifications (user_id, id) WHERE mail_after IS NOT NULL;
    ALTER TABLE mails ADD COLUMN about text CHECK (length(about) BETWEEN 1 AND 60);
    CREATE INDEX mails_of_recipient ON mails (recipient, created_at) WHERE kind = 'notification';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX mails_of_recipient;
    ALTER TABLE mails DROP COLUMN about;
    ALTER TABLE notifications DROP COLUMN mail_after, DROP COLUMN trace, DROP COLUMN bid_id;
    DROP VIEW outbid_mails;
    ALTER TABLE mail_recipients DROP COLUMN wakes_at, ALTER COLUMN gap_seconds SET DEFAULT 5;
    ALTER TABLE mail_recipients RENAME TO outbid_mails;
  `);
}
