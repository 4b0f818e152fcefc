/**
 * Facts for the world outside: one row each, written in the transaction that made the fact. Readers go by (tx, id) and stop before
 * the oldest transaction still open, so that a row that commits late is never passed over.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
      team_id bigint,
      user_id bigint,
      auction_id bigint,
      lot_id bigint,
      created_at timestamptz NOT NULL DEFAULT now(),
      type text NOT NULL,
      event_key text NOT NULL UNIQUE,
      data jsonb NOT NULL CHECK (jsonb_typeof(data) = 'object')
    );
    CREATE INDEX events_in_order ON events (tx, id);
    CREATE INDEX events_of_team ON events (team_id, tx, id) WHERE team_id IS NOT NULL;
    CREATE INDEX events_of_user ON events (user_id, tx, id) WHERE user_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE events;');
}
