/**
 * What tells a Redis that comes back older: the runs of the servers that were compared last, under a number that each
 * comparison raises; how far each shard was acknowledged; the processes that write, so that a comparison can wait for what each of
 * them knows; and every name that this journal has had.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE journal_meta
      ADD COLUMN fence bigint NOT NULL DEFAULT 0,
      ADD COLUMN runs text[],
      ADD COLUMN fence_closed_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN rebuilt_fence bigint NOT NULL DEFAULT 0,
      ADD COLUMN rebuilds integer NOT NULL DEFAULT 0;
    CREATE TABLE journal_epochs (
      epoch text PRIMARY KEY,
      began_at timestamptz NOT NULL DEFAULT now()
    );
    INSERT INTO journal_epochs (epoch) SELECT epoch FROM journal_meta;
    INSERT INTO journal_epochs (epoch) SELECT previous_epoch FROM journal_meta WHERE previous_epoch IS NOT NULL
      ON CONFLICT DO NOTHING;
    CREATE TABLE journal_marks (
      shard smallint PRIMARY KEY,
      ms bigint NOT NULL,
      counter bigint NOT NULL
    ) WITH (fillfactor = 50);
    CREATE UNLOGGED TABLE journal_writers (
      id uuid PRIMARY KEY,
      fence bigint,
      seen_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE journal_writers; DROP TABLE journal_marks; DROP TABLE journal_epochs;
    ALTER TABLE journal_meta DROP COLUMN fence, DROP COLUMN runs, DROP COLUMN fence_closed_at,
      DROP COLUMN rebuilt_fence, DROP COLUMN rebuilds;
  `);
}
