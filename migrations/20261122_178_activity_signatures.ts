/** Activity of those who sign what they send instead of having an account: payment providers. */
import type { Knex } from 'knex';

const setVias = (knex: Knex, vias: string) =>
  knex.raw(`
    ALTER TABLE activity DROP CONSTRAINT activity_via_check;
    ALTER TABLE activity ADD CONSTRAINT activity_via_check CHECK (via IN (${vias})) NOT VALID;
  `);

export async function up(knex: Knex): Promise<void> {
  await setVias(knex, `'page', 'token', 'link', 'command', 'signature'`);
}

export async function down(knex: Knex): Promise<void> {
  await setVias(knex, `'page', 'token', 'link', 'command'`);
}
