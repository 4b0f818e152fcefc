/**
 * Entries that a lot's journal lacks for good, because Postgres was put back from before them and the journal's log did
 * not go back that far: after which sequence they are missing, and how the lot stood behind them as far as that is
 * known.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE journal_gaps (
      lot_id bigint NOT NULL,
      after_sequence bigint NOT NULL,
      -- What follows on the gap up to this entry was not judged by a standing that is known.
      known_from bigint NOT NULL,
      snapshot text NOT NULL,
      bridged_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (lot_id, after_sequence)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE journal_gaps');
}
