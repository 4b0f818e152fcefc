/**
 * Functions over texts. Searches fold what is said (case, accents, punctuation) into words that are matched at their
 * starts; common words are looked up shelf by shelf, a shelf being a run of ids, from the first on, until there are
 * enough lots for the page. What sellers say in other languages lies beside the text, by language and field: searches
 * find translated titles too, and notifications name a thing in the language of whom they are for.
 *
 * Without `pg_trgm` (not installed, or not allowed) words are still found anywhere in a title, but misspelt ones are
 * not.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$ BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'pg_trgm cannot be used here, so searches forgive no misspelling: %', SQLERRM;
    END $$;
  `);
  const { rows } = await knex.raw<{ rows: { trgm: boolean; collation: string | null }[] }>(`
    SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') AS trgm,
      (SELECT collname FROM pg_collation WHERE collname IN ('pg_c_utf8', 'und-x-icu')
        ORDER BY collname = 'pg_c_utf8' DESC LIMIT 1) AS collation
  `);
  const { trgm, collation } = rows[0]!;
  await knex.raw(searching(collation === null ? '' : ` COLLATE "${collation}"`));
  await knex.raw(`
    CREATE FUNCTION search_resembles(title_words text, wanted text) RETURNS boolean
      LANGUAGE sql STABLE PARALLEL SAFE
      RETURN length(wanted) > 2 AND (title_words LIKE '%' || wanted || '%' ${trgm ? 'OR wanted <% title_words' : ''});
    CREATE FUNCTION search_distance(title_words text, wanted text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE WHEN strpos(title_words, wanted) > 0 THEN 0
        ELSE ${trgm ? '100 - round(word_similarity(wanted, title_words) * 90)::integer' : '100'} END;
    CREATE FUNCTION search_shelf(lot_id bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN lot_id >> 13;
    CREATE FUNCTION search_shelved(lot_id bigint, words tsvector) RETURNS tsvector
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      array_to_tsvector(
        array(SELECT search_shelf(lot_id) || '.' || word FROM unnest(tsvector_to_array(words)) AS word));
    CREATE FUNCTION search_query_on(shelf bigint, said text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN (SELECT string_agg('''' || shelf || '.' || word || ''':*', ' & ')::tsquery
        FROM (SELECT word FROM unnest(search_words(said)) AS word LIMIT 16) AS words);
  `);
  await knex.raw(TRANSLATIONS);
}

/** Lower case comes from the collation: under plain "C" only ASCII letters would have one. */
function searching(collate: string): string {
  return `
    CREATE FUNCTION search_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      btrim(regexp_replace(
        replace(replace(replace(
          translate(
            lower(regexp_replace(
              normalize(said, NFKD), '[\\u0300-\\u036f''\`\\u2018\\u2019\\u02bc]+', '', 'g')${collate}),
            'łøđðþı', 'loddti'),
          'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
        '[\\u0001-/:-@\\[-\`{-\\u00bf\\u2000-\\u206f\\u20a0-\\u20cf\\u2100-\\u2bff\\u3000-\\u303f]+', ' ', 'g'));
    CREATE FUNCTION search_words(said text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      array(SELECT DISTINCT left(word, 60) FROM unnest(string_to_array(search_fold(said), ' ')) AS word
        WHERE word <> '');
    CREATE FUNCTION search_vector(said text) RETURNS tsvector
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      array_to_tsvector(search_words(said));
    CREATE FUNCTION search_query(said text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      (SELECT string_agg('''' || word || ''':*', ' & ')::tsquery
        FROM (SELECT word FROM unnest(search_words(said)) AS word LIMIT 16) AS words);
    CREATE FUNCTION search_rank(title_words text, wanted text, query tsquery) RETURNS integer
      LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
      CASE
        WHEN title_words = wanted THEN 0
        WHEN starts_with(title_words, wanted || ' ') THEN 1
        WHEN starts_with(title_words, wanted) THEN 2
        WHEN strpos(' ' || title_words || ' ', ' ' || wanted || ' ') > 0 THEN 3
        WHEN strpos(' ' || title_words, ' ' || wanted) > 0 THEN 4
        WHEN string_to_array(title_words, ' ') @> string_to_array(wanted, ' ') THEN 5
        WHEN search_vector(title_words) @@ query THEN 6
        ELSE 7
      END;
  `;
}

const TRANSLATIONS = `
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
  CREATE FUNCTION said_in(said jsonb, language text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    (said - 'translations') || coalesce(said->'translations'->language, '{}');
  CREATE FUNCTION said_for(said jsonb, language text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    said_in(said, language) || CASE WHEN jsonb_typeof(said->'lots') = 'array' THEN jsonb_build_object('lots',
      (SELECT jsonb_agg(said_in(lot, language) ORDER BY at)
        FROM jsonb_array_elements(said->'lots') WITH ORDINALITY AS lots (lot, at))) ELSE '{}' END;
`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION said_for, said_in, title_in_all, said_titles;
    DROP FUNCTION search_query_on, search_shelved, search_shelf, search_distance, search_resembles, search_rank;
    DROP FUNCTION search_query, search_vector, search_words, search_fold;
  `);
}
