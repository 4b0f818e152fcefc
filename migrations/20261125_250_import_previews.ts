/**
 * What a page shows of an uploaded file of lots, kept beside it: its first rows, and how many rows were refused. The
 * whole file, which can have 16 MiB, is read by its import alone.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lot_imports
      ADD COLUMN header jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(header) = 'array'),
      ADD COLUMN first_rows jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(first_rows) = 'array'),
      ADD COLUMN rows_failed integer NOT NULL DEFAULT 0;
    -- Files are kept for a day; one that is waiting is uploaded again.
    DELETE FROM lot_imports;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE lot_imports DROP COLUMN header, DROP COLUMN first_rows, DROP COLUMN rows_failed;',
  );
}
