/**
 * What people ask a seller: questions on a lot that all may read with their answers, private enquiries, reports to
 * staff, and slots in which a lot can be seen.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions ADD COLUMN questions_close_hours integer NOT NULL DEFAULT 24
      CHECK (questions_close_hours BETWEEN 0 AND 8760);
    CREATE TABLE lot_questions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      lot_id bigint NOT NULL REFERENCES lots ON DELETE CASCADE,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      text text NOT NULL CHECK (text <> ''),
      asked_at timestamptz NOT NULL DEFAULT now(),
      answer text CHECK (answer <> ''),
      answered_at timestamptz,
      hidden boolean NOT NULL DEFAULT false,
      CHECK ((answer IS NULL) = (answered_at IS NULL))
    );
    CREATE INDEX lot_questions_of_lot ON lot_questions (lot_id, id);
    CREATE INDEX lot_questions_of_user ON lot_questions (user_id, asked_at);
    CREATE TABLE lot_enquiries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      lot_id bigint NOT NULL REFERENCES lots ON DELETE CASCADE,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      text text NOT NULL CHECK (text <> ''),
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX lot_enquiries_of_lot ON lot_enquiries (lot_id, id);
    CREATE INDEX lot_enquiries_of_user ON lot_enquiries (user_id, created_at);
    CREATE TABLE lot_reports (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      lot_id bigint NOT NULL REFERENCES lots ON DELETE CASCADE,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      reason text NOT NULL,
      text text NOT NULL DEFAULT '',
      created_at timestamptz NOT NULL DEFAULT now(),
      closed_at timestamptz
    );
    CREATE INDEX lot_reports_of_lot ON lot_reports (lot_id, id);
    CREATE INDEX lot_reports_of_user ON lot_reports (user_id, created_at);
    CREATE INDEX lot_reports_open ON lot_reports (id) WHERE closed_at IS NULL;
    CREATE TABLE viewing_bookings (
      auction_id bigint NOT NULL REFERENCES auctions ON DELETE CASCADE,
      slot text NOT NULL,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      place text,
      booked_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (auction_id, slot)
    );
    CREATE INDEX viewing_bookings_of_user ON viewing_bookings (user_id, auction_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE viewing_bookings; DROP TABLE lot_reports; DROP TABLE lot_enquiries; DROP TABLE lot_questions;
    ALTER TABLE auctions DROP COLUMN questions_close_hours;
  `);
}
