/** A lot that was not sold may be put up again as a new one, which says which it was. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN relisted_from bigint REFERENCES lots ON DELETE SET NULL;
    CREATE INDEX lots_relisted_from ON lots (relisted_from) WHERE relisted_from IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE lots DROP COLUMN relisted_from;');
}
