/**
 * What nothing asks of facts and notifications goes, because every bid writes it: the key of a bid's fact is unique because the
 * bid's id is, in the same transaction; lots that people are told of are never deleted; a person has one outbid notification
 * for a lot, found by its key.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE events DROP CONSTRAINT events_event_key_key;
    CREATE UNIQUE INDEX events_key ON events (event_key) WHERE type <> 'lot.bid_placed';
    ALTER TABLE notifications DROP CONSTRAINT notifications_lot_id_fkey;
    DROP INDEX notifications_of_lot;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX notifications_of_lot ON notifications (lot_id, user_id) WHERE lot_id IS NOT NULL;
    ALTER TABLE notifications ADD CONSTRAINT notifications_lot_id_fkey
      FOREIGN KEY (lot_id) REFERENCES lots ON DELETE CASCADE;
    DROP INDEX events_key;
    ALTER TABLE events ADD CONSTRAINT events_event_key_key UNIQUE (event_key);
  `);
}
