/**
 * The journal in Postgres: every entry for good, the bids in it as rows, the state that each lot was left in, how far
 * each shard has been projected, and signed checkpoints.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Which journal this is. Its name moves once with a failover, and a server that was replaced takes no bids when
    -- it comes back; the fence tells a Redis that comes back older.
    CREATE TABLE journal_meta (
      one boolean DEFAULT true PRIMARY KEY CHECK (one),
      epoch text NOT NULL,
      written boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      shards smallint CHECK (shards BETWEEN 1 AND 64),
      previous_epoch text,
      -- By Redis' replication ids.
      servers text[],
      -- The layout of rows that all running processes read: 'rostrum migrate --finish' raises it. Null: the first.
      layout smallint,
      -- Raised by every comparison of servers; runs are those that were compared last.
      fence bigint NOT NULL DEFAULT 0,
      runs text[],
      fence_closed_at timestamptz NOT NULL DEFAULT now(),
      rebuilt_fence bigint NOT NULL DEFAULT 0,
      rebuilds integer NOT NULL DEFAULT 0
    );

    -- Every name that this journal has had.
    CREATE TABLE journal_epochs (
      epoch text PRIMARY KEY,
      began_at timestamptz NOT NULL DEFAULT now()
    );

    -- How far each shard was acknowledged.
    CREATE TABLE journal_marks (
      shard smallint PRIMARY KEY,
      ms bigint NOT NULL,
      counter bigint NOT NULL
    ) WITH (fillfactor = 50);

    -- The processes that write, so that a comparison can wait for what each of them knows.
    CREATE TABLE journal_writers (
      id uuid PRIMARY KEY,
      fence bigint,
      seen_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 50);

    CREATE TABLE journal_entries (
      lot_id bigint,
      sequence bigint,
      first_sequence bigint NOT NULL,
      recorded_at timestamptz NOT NULL,
      hash text NOT NULL,
      previous_hash text NOT NULL,
      public_text text NOT NULL,
      private_text text NOT NULL,
      -- What a trace goes on by, beside what is hashed.
      traces jsonb,
      PRIMARY KEY (lot_id, sequence)
    );

    -- Entries that a lot's journal lacks for good, because Postgres was put back from before them and the journal's
    -- log did not go back that far: after which sequence they are missing, and how the lot stood behind them as far
    -- as that is known.
    CREATE TABLE journal_gaps (
      lot_id bigint,
      after_sequence bigint,
      -- What follows on the gap up to this entry was not judged by a standing that is known.
      known_from bigint NOT NULL,
      snapshot text NOT NULL,
      bridged_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (lot_id, after_sequence)
    );

    CREATE TABLE lot_states (
      lot_id bigint PRIMARY KEY,
      auction_id bigint NOT NULL,
      sequence bigint NOT NULL,
      entry_count integer NOT NULL,
      finished_at timestamptz,
      place text NOT NULL DEFAULT 'live' CHECK (place IN ('live', 'leaving', 'left')),
      snapshot text NOT NULL,
      host_id bigint
    ) WITH (fillfactor = 50);
    CREATE INDEX lot_states_finished ON lot_states (finished_at) WHERE finished_at IS NOT NULL AND place <> 'left';
    CREATE INDEX lot_states_in_journal ON lot_states (lot_id) WHERE place <> 'left';
    CREATE INDEX lot_states_by_host ON lot_states (host_id) WHERE host_id IS NOT NULL;

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
      void_reason text,
      lot_ids jsonb
    );
    CREATE UNIQUE INDEX bids_of_lot ON bids (lot_id, sequence) INCLUDE (listed);
    CREATE INDEX bids_voided ON bids (lot_id) WHERE voided;
    CREATE INDEX bids_of_user ON bids (user_id, placed_at, sequence) WHERE user_id IS NOT NULL AND listed;
    CREATE INDEX bids_won ON bids (lot_id, user_id) WHERE outcome = 'won' AND NOT voided;

    -- failures_version moves with every change of a shard's failures, under the lock of this row, so that a projector
    -- sees what others have done.
    CREATE TABLE projection_positions (
      shard smallint PRIMARY KEY,
      stream_id text NOT NULL,
      messages bigint NOT NULL DEFAULT 0,
      updated_at timestamptz NOT NULL DEFAULT now(),
      failures_version bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);

    -- What Postgres refuses is set aside instead of holding up everything behind it: one row for each lot, auction or
    -- bidder that cannot go on, and behind it, in order, every entry that waits for it. What only waits for a lock is
    -- tried again by the workers, and no failure unless it lasts: since reported_at.
    CREATE TABLE projection_failures (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      shard smallint NOT NULL,
      subject text NOT NULL UNIQUE,
      auction_id bigint,
      lot_id bigint,
      sequence bigint,
      error text NOT NULL,
      attempts integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      tried_at timestamptz NOT NULL DEFAULT now(),
      transient boolean NOT NULL DEFAULT false,
      reported_at timestamptz DEFAULT now()
    );
    CREATE INDEX projection_failures_of_shard ON projection_failures (shard);
    CREATE INDEX projection_failures_of_lot ON projection_failures (lot_id);
    CREATE INDEX projection_failures_transient ON projection_failures (shard) WHERE transient;

    CREATE TABLE projection_set_aside (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      failure_id bigint NOT NULL REFERENCES projection_failures ON DELETE CASCADE,
      frame text NOT NULL
    );
    CREATE INDEX projection_set_aside_in_order ON projection_set_aside (failure_id, id);

    -- What was answered under idempotency keys, as the commits wrote it: for a Redis that has lost its disk. Only
    -- ever read whole, and gone after a day, so it is not compressed. Bytes: a key that a platform has named may hold
    -- what no text of Postgres can.
    CREATE TABLE idempotency_records (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      shard smallint NOT NULL,
      written_at timestamptz NOT NULL DEFAULT now(),
      records bytea NOT NULL
    );
    CREATE INDEX idempotency_records_written_at ON idempotency_records (written_at);

    -- What a bid changes about a lot reaches Postgres as an array of these, in binary. Whoever needs another column
    -- makes another type: a process of the previous release still sends this one.
    CREATE TYPE projected_lot AS (
      id bigint,
      auction_id bigint,
      status text,
      current_bid_cents bigint,
      bid_count integer,
      minimum_next_bid_cents bigint,
      reserve_met boolean,
      leader_key text,
      leader_user_id bigint,
      live_end timestamptz,
      original_end timestamptz,
      extension_count integer,
      extended_by_outage boolean,
      hammer_price_cents bigint,
      winner_user_id bigint,
      sequence bigint,
      head_hash text,
      closed timestamptz,
      starting_bid_cents bigint,
      reserve_price_cents bigint,
      buy_now_price_cents bigint,
      consignor_id bigint,
      is_finished boolean,
      entry_count integer,
      snapshot text
    );

    -- Checkpoints: a tree over the heads of the lots' journals, its signed roots, and the keys that sign them.
    CREATE TABLE checkpoint_keys (
      id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      public_key bytea NOT NULL,
      private_key_sealed text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      retired_at timestamptz
    );
    CREATE UNIQUE INDEX checkpoint_key_in_use ON checkpoint_keys ((true)) WHERE retired_at IS NULL;

    CREATE TABLE checkpoints (
      number bigint PRIMARY KEY,
      made_at timestamptz NOT NULL,
      size bigint NOT NULL CHECK (size > 0),
      root bytea NOT NULL CHECK (length(root) = 32),
      key_id integer NOT NULL REFERENCES checkpoint_keys,
      signature bytea NOT NULL,
      note text NOT NULL,
      sent_at timestamptz
    );
    CREATE INDEX checkpoints_unsent ON checkpoints (number) WHERE sent_at IS NULL;

    CREATE TABLE checkpoint_tiles (
      level smallint,
      number bigint,
      hashes bytea NOT NULL,
      PRIMARY KEY (level, number)
    );

    CREATE TABLE checkpoint_heads (
      lot_id bigint PRIMARY KEY,
      leaf_index bigint NOT NULL,
      sequence bigint NOT NULL,
      hash text NOT NULL
    ) WITH (fillfactor = 70);

    ALTER TABLE checkpoint_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;
    ALTER TABLE idempotency_records ALTER COLUMN records SET STORAGE EXTERNAL;
    -- Texts that are stored aside are compressed by lz4, in a tenth of the time of Postgres' own method, or not at all.
    DO $$ BEGIN
      ALTER TABLE journal_entries ALTER COLUMN public_text SET COMPRESSION lz4,
        ALTER COLUMN private_text SET COMPRESSION lz4;
    EXCEPTION WHEN feature_not_supported THEN
      ALTER TABLE journal_entries ALTER COLUMN public_text SET STORAGE EXTERNAL,
        ALTER COLUMN private_text SET STORAGE EXTERNAL;
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE checkpoint_heads, checkpoint_tiles, checkpoints, checkpoint_keys, idempotency_records,
      projection_set_aside, projection_failures, projection_positions, bids, lot_states, journal_gaps,
        journal_entries, journal_writers, journal_marks, journal_epochs, journal_meta;
    DROP TYPE projected_lot;
  `);
}
