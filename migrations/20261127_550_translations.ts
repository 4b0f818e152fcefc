/**
 * What sellers say of lots and auctions in other languages, by language and field. Searches find translated titles too;
 * what sorts and resembles is the title itself.
 */
import type { Knex } from 'knex';

const TRIGGER = (more: string) => `
  CREATE TRIGGER lots_are_searched
    AFTER INSERT OR UPDATE OF title, sku, city, county, state, description${more} ON lots
    FOR EACH ROW EXECUTE FUNCTION lot_search_write();`;

const TEXT = (title: string) => `
  CREATE OR REPLACE FUNCTION lot_search_text(lot lots) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT ${title} || ' ' || coalesce(lot.sku, '') || ' ' || coalesce(lot.city, '') || ' ' || coalesce(lot.county, '')
         || ' ' || coalesce(lot.state, '') || ' ' || coalesce(lot.description, '') $$;`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN translations jsonb NOT NULL DEFAULT '{}';
    ALTER TABLE auctions ADD COLUMN translations jsonb NOT NULL DEFAULT '{}';
    CREATE FUNCTION said_titles(translations jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      CASE WHEN translations = '{}' THEN translations ELSE
        (SELECT coalesce(jsonb_object_agg(code, jsonb_build_object('title', said->'title')), '{}')
          FROM jsonb_each(translations) AS t (code, said) WHERE said->'title' IS NOT NULL)
      END;
    CREATE FUNCTION title_in_all(title text, translations jsonb) RETURNS text
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      CASE WHEN translations = '{}' THEN title ELSE title
        || coalesce((SELECT string_agg(' ' || (said->>'title'), '') FROM jsonb_each(translations) AS t (code, said)), '')
      END;
    ${TEXT('title_in_all(lot.title, lot.translations)')}
    DROP TRIGGER lots_are_searched ON lots;
    ${TRIGGER(', translations')}
    CREATE INDEX auctions_search_titles ON auctions USING gin (search_vector(title_in_all(title, translations)));
    DROP INDEX auctions_search;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX auctions_search ON auctions USING gin (search_vector(title));
    DROP INDEX auctions_search_titles;
    DROP TRIGGER lots_are_searched ON lots;
    ${TEXT('lot.title')}
    ${TRIGGER('')}
    DROP FUNCTION title_in_all(text, jsonb);
    DROP FUNCTION said_titles(jsonb);
    ALTER TABLE auctions DROP COLUMN translations;
    ALTER TABLE lots DROP COLUMN translations;
  `);
}
