/**
 * Search: titles and what is said of lots, folded (case, accents, punctuation) into words that are matched at their starts.
 * Lots keep theirs in a table of their own, so that a bid, which rewrites the lot's row, does not touch these indexes. Without
 * `pg_trgm` (not installed, or not allowed) words are still found anywhere in a title, but misspelt ones are not.
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
  await knex.raw(functions(collation === null ? '' : ` COLLATE "${collation}"`));
  await knex.raw(`
    CREATE FUNCTION search_resembles(title_words text, wanted text) RETURNS boolean
      LANGUAGE sql STABLE PARALLEL SAFE
      RETURN length(wanted) > 2 AND (title_words LIKE '%' || wanted || '%' ${trgm ? 'OR wanted <% title_words' : ''});
    CREATE FUNCTION search_distance(title_words text, wanted text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE WHEN strpos(title_words, wanted) > 0 THEN 0
        ELSE ${trgm ? '100 - round(word_similarity(wanted, title_words) * 90)::integer' : '100'} END;
  `);
  await knex.raw(TABLES);
  if (!trgm) return;
  await knex.raw(`
    CREATE INDEX auctions_title_trigrams ON auctions USING gin (title_words gin_trgm_ops);
    CREATE INDEX lot_search_trigrams ON lot_search USING gin (title_words gin_trgm_ops);
  `);
}

/** Lower case comes from the collation: under plain "C" only ASCII letters would have one. */
function functions(collate: string): string {
  return `
    CREATE FUNCTION search_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      btrim(regexp_replace(
        replace(replace(replace(
          translate(
            lower(regexp_replace(normalize(said, NFKD), '[\\u0300-\\u036f''\`\\u2018\\u2019\\u02bc]+', '', 'g')${collate}),
            'łøđðþı', 'loddti'),
          'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
        '[\\u0001-/:-@\\[-\`{-\\u00bf\\u2000-\\u206f\\u20a0-\\u20cf\\u2100-\\u2bff\\u3000-\\u303f]+', ' ', 'g'));
    CREATE FUNCTION search_words(said text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
      array(SELECT DISTINCT left(word, 60) FROM unnest(string_to_array(search_fold(said), ' ')) AS word WHERE word <> '');
    CREATE FUNCTION search_vector(said text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
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

const TABLES = `
  ALTER TABLE auctions ADD COLUMN title_words text NOT NULL GENERATED ALWAYS AS (search_fold(title)) STORED;
  CREATE INDEX auctions_search ON auctions USING gin (search_vector(title));
  CREATE TABLE lot_search (
    lot_id bigint PRIMARY KEY REFERENCES lots ON DELETE CASCADE,
    title_words text NOT NULL,
    words tsvector NOT NULL
  );
  CREATE FUNCTION lot_search_text(lot lots) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT lot.title || ' ' || coalesce(lot.sku, '') || ' ' || coalesce(lot.city, '') || ' ' || coalesce(lot.county, '')
         || ' ' || coalesce(lot.state, '') || ' ' || coalesce(lot.description, '') $$;
  CREATE FUNCTION lot_search_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO lot_search (lot_id, title_words, words)
        VALUES (NEW.id, search_fold(NEW.title), search_vector(lot_search_text(NEW)))
        ON CONFLICT (lot_id) DO UPDATE SET title_words = EXCLUDED.title_words, words = EXCLUDED.words;
      RETURN NULL;
    END $$;
  INSERT INTO lot_search (lot_id, title_words, words)
    SELECT lots.id, search_fold(lots.title), search_vector(lot_search_text(lots)) FROM lots;
  CREATE TRIGGER lots_are_searched AFTER INSERT OR UPDATE OF title, sku, city, county, state, description ON lots
    FOR EACH ROW EXECUTE FUNCTION lot_search_write();
  CREATE INDEX lot_search_words ON lot_search USING gin (words);
  CREATE INDEX lot_search_titles ON lot_search (title_words text_pattern_ops, lot_id);
`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER lots_are_searched ON lots;
    DROP FUNCTION lot_search_write();
    DROP FUNCTION lot_search_text(lots);
    DROP TABLE lot_search;
    DROP INDEX auctions_search;
    ALTER TABLE auctions DROP COLUMN title_words;
    DROP FUNCTION search_distance(text, text);
    DROP FUNCTION search_resembles(text, text);
    DROP FUNCTION search_rank(text, text, tsquery);
    DROP FUNCTION search_query(text);
    DROP FUNCTION search_vector(text);
    DROP FUNCTION search_words(text);
    DROP FUNCTION search_fold(text);
  `);
}
