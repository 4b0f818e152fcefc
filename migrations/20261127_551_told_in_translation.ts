/** Notifications name a thing as its seller does in the language of whom they are for. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION said_in(said jsonb, language text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
      (said - 'translations') || coalesce(said->'translations'->language, '{}');
    CREATE FUNCTION said_for(said jsonb, language text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
      said_in(said, language) || CASE WHEN jsonb_typeof(said->'lots') = 'array' THEN jsonb_build_object('lots',
        (SELECT jsonb_agg(said_in(lot, language) ORDER BY at)
          FROM jsonb_array_elements(said->'lots') WITH ORDINALITY AS lots (lot, at))) ELSE '{}' END;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION said_for(jsonb, text); DROP FUNCTION said_in(jsonb, text)');
}
