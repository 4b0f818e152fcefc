/** The language that a person reads the service in. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "ALTER TABLE users ADD COLUMN language text CHECK (language IN ('en', 'es', 'fr', 'de', 'pt'));",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE users DROP COLUMN language;');
}
