/** What the office says of who runs the marketplace; what it leaves empty is as the configuration has it. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE operator_settings (
      id boolean PRIMARY KEY DEFAULT true CHECK (id),
      name text CHECK (name <> ''),
      color text CHECK (color ~ '^#[0-9a-f]{6}$'),
      terms text,
      privacy text,
      imprint text
    );
    INSERT INTO operator_settings DEFAULT VALUES`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE operator_settings');
}
