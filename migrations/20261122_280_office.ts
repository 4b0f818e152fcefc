/** What staff do on the pages of the office is activity of its own kind; a platform can be revoked. */
import type { Knex } from 'knex';

const setVias = (knex: Knex, vias: string) =>
  knex.raw(`
    ALTER TABLE activity DROP CONSTRAINT activity_via_check;
    ALTER TABLE activity ADD CONSTRAINT activity_via_check CHECK (via IN (${vias})) NOT VALID;
  `);

export async function up(knex: Knex): Promise<void> {
  await setVias(knex, `'page', 'token', 'link', 'command', 'signature', 'office'`);
  await knex.raw('ALTER TABLE simulcast_platforms ADD COLUMN revoked_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE simulcast_platforms DROP COLUMN revoked_at');
  await setVias(knex, `'page', 'token', 'link', 'command', 'signature'`);
}
