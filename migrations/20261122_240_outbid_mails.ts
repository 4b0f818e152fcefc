/**
 * Mails about outbid lots are gathered for each person: who waits for one, and when the next may go. Notifications of a
 * lot are found by person too, and the newest of somebody whether or not they are on the page.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE outbid_mails (
      user_id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      waits_since timestamptz,
      mailed_at timestamptz,
      gap_seconds integer NOT NULL DEFAULT 5 CHECK (gap_seconds > 0),
      due_at timestamptz NOT NULL
    );
    CREATE INDEX outbid_mails_due ON outbid_mails (due_at) WHERE waits_since IS NOT NULL;
    DROP INDEX notifications_of_lot, notifications_newest;
    CREATE INDEX notifications_of_lot ON notifications (lot_id, user_id) WHERE lot_id IS NOT NULL;
    CREATE INDEX notifications_newest ON notifications (user_id, created_at DESC, id DESC);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX notifications_of_lot, notifications_newest;
    CREATE INDEX notifications_of_lot ON notifications (lot_id) WHERE lot_id IS NOT NULL;
    CREATE INDEX notifications_newest ON notifications (user_id, created_at DESC, id DESC) WHERE on_page;
    DROP TABLE outbid_mails;
  `);
}
