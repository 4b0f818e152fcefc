/**
 * What was answered under idempotency keys, as the commits wrote it: for a Redis that has lost its disk. Only ever
 * read whole, so there is one row for what a shard's log brought at a time, and no index but by age.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE idempotency_records (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      shard smallint NOT NULL,
      written_at timestamptz NOT NULL DEFAULT now(),
      -- Bytes: a key that a platform has named may hold what no text of Postgres can.
      records bytea NOT NULL
    );
    CREATE INDEX idempotency_records_written_at ON idempotency_records (written_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE idempotency_records');
}
