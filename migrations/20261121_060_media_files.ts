/** Media found by every one of their files, for serving and for the sweep, and images whose medium size is not made yet. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE UNIQUE INDEX media_thumb_key ON media (thumb_key) WHERE thumb_key IS NOT NULL;
    CREATE UNIQUE INDEX media_medium_key ON media (medium_key) WHERE medium_key IS NOT NULL;
    CREATE INDEX media_file_key_bytes ON media (file_key COLLATE "C");
    CREATE INDEX media_without_medium ON media (id) WHERE kind = 'image' AND medium_key IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX media_thumb_key, media_medium_key, media_file_key_bytes, media_without_medium;');
}
