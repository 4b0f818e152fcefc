/**
 * What the projection keeps of the journal: every entry for good, the bids in it as rows, the state that each lot was left in,
 * and how far each shard has been projected. Its columns on `lots` are a copy, so they refuse nothing that the journal has
 * taken: the references on them go.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE journal_meta (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      epoch text NOT NULL,
      written boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE projection_positions (
      shard smallint PRIMARY KEY,
      stream_id text NOT NULL,
      messages bigint NOT NULL DEFAULT 0,
      updated_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 50);
    CREATE TABLE journal_entries (
      lot_id bigint NOT NULL,
      sequence bigint NOT NULL,
      first_sequence bigint NOT NULL,
      recorded_at timestamptz NOT NULL,
      hash text NOT NULL,
      previous_hash text NOT NULL,
      public_text text NOT NULL,
      private_text text NOT NULL,
      PRIMARY KEY (lot_id, sequence)
    );
    CREATE TABLE lot_states (
      lot_id bigint PRIMARY KEY,
      auction_id bigint NOT NULL,
      sequence bigint NOT NULL,
      entry_count integer NOT NULL,
      finished_at timestamptz,
      place text NOT NULL DEFAULT 'live' CHECK (place IN ('live', 'leaving', 'left')),
      snapshot text NOT NULL
    ) WITH (fillfactor = 50);
    CREATE INDEX lot_states_finished ON lot_states (finished_at) WHERE finished_at IS NOT NULL AND place <> 'left';
    ALTER TABLE lots DROP CONSTRAINT lots_leader_user_id_fkey, DROP CONSTRAINT lots_winner_user_id_fkey;
    DROP INDEX registrations_paddle;
    CREATE INDEX registrations_paddle ON registrations (auction_id, paddle_number) WHERE paddle_number IS NOT NULL;
  `);
  await knex.raw(BIDS);
}

const BIDS = `
  CREATE TABLE bids (
    bid_id text PRIMARY KEY,
    lot_id bigint NOT NULL,
    auction_id bigint NOT NULL,
    sequence bigint NOT NULL,
    user_id bigint,
    straight_cents bigint,
    ceiling_cents bigint NOT NULL,
    amount_cents bigint NOT NULL,
    placed_at timestamptz NOT NULL,
    listed boolean NOT NULL,
    voided boolean NOT NULL DEFAULT false,
    outcome text NOT NULL,
    channel text NOT NULL,
    bidder_key text NOT NULL,
    alias text NOT NULL,
    paddle_number text NOT NULL,
    entry_hash text NOT NULL,
    void_reason text
  );
  CREATE UNIQUE INDEX bids_of_lot ON bids (lot_id, sequence) INCLUDE (listed);
  CREATE INDEX bids_voided ON bids (lot_id) WHERE voided;
  CREATE INDEX bids_of_user ON bids (user_id, placed_at, sequence) WHERE user_id IS NOT NULL AND listed;
`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX registrations_paddle;
    CREATE UNIQUE INDEX registrations_paddle ON registrations (auction_id, paddle_number)
      WHERE paddle_number IS NOT NULL;
    ALTER TABLE lots
      ADD CONSTRAINT lots_leader_user_id_fkey FOREIGN KEY (leader_user_id) REFERENCES users,
      ADD CONSTRAINT lots_winner_user_id_fkey FOREIGN KEY (winner_user_id) REFERENCES users;
    DROP TABLE bids; DROP TABLE lot_states; DROP TABLE journal_entries; DROP TABLE projection_positions; DROP TABLE journal_meta;
  `);
}
