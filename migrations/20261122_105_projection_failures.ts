/**
 * What Postgres refuses of the journal is set aside here instead of holding up everything behind it: one row for each lot,
 * auction or bidder that cannot go on, and behind it, in order, every entry that waits for it. `failures_version` moves with
 * every change of a shard's failures, under the lock of the shard's position, so that a projector sees what others have done.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE projection_positions ADD COLUMN failures_version bigint NOT NULL DEFAULT 0;
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
      tried_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX projection_failures_of_shard ON projection_failures (shard);
    CREATE INDEX projection_failures_of_lot ON projection_failures (lot_id);
    CREATE TABLE projection_set_aside (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      failure_id bigint NOT NULL REFERENCES projection_failures ON DELETE CASCADE,
      frame text NOT NULL
    );
    CREATE INDEX projection_set_aside_in_order ON projection_set_aside (failure_id, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE projection_set_aside;
    DROP TABLE projection_failures;
    ALTER TABLE projection_positions DROP COLUMN failures_version;
  `);
}
