/**
 * The secrets of a platform that `platform rotate` has replaced, as hashes: the environment of the processes may still name
 * one of them, and must not bring it back at the next start.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `ALTER TABLE simulcast_platforms ADD COLUMN replaced_secret_hashes text[] NOT NULL DEFAULT '{}'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE simulcast_platforms DROP COLUMN replaced_secret_hashes');
}
