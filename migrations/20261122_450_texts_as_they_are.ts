/**
 * Postgres' own compression was the dearest thing that it did for a bid on a hot lot, and a tenth of what one over many
 * lots costs. The answers under idempotency keys are stored as they are, because they are gone after a day; so are
 * the texts of entries and of shared facts where this server has no lz4, which takes a tenth of the time.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE idempotency_records ALTER COLUMN records SET STORAGE EXTERNAL;
    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'journal_entries'::regclass
          AND attname = 'public_text' AND attcompression <> 'l') THEN
        ALTER TABLE journal_entries ALTER COLUMN public_text SET STORAGE EXTERNAL,
          ALTER COLUMN private_text SET STORAGE EXTERNAL;
        ALTER TABLE events ALTER COLUMN bids SET STORAGE EXTERNAL;
      END IF;
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE idempotency_records ALTER COLUMN records SET STORAGE DEFAULT;
    ALTER TABLE journal_entries ALTER COLUMN public_text SET STORAGE DEFAULT,
      ALTER COLUMN private_text SET STORAGE DEFAULT;
    ALTER TABLE events ALTER COLUMN bids SET STORAGE DEFAULT;
  `);
}
