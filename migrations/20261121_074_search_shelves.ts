/**
 * A second index over the words of lots, each word marked with its lot's shelf: a run of ids. Common words are then looked up shelf by
 * shelf, from the first on, until there are enough lots for the page: what all other shelves hold is never looked at.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION search_shelf(lot_id bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN lot_id >> 13;
    CREATE FUNCTION search_shelved(lot_id bigint, words tsvector) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN array_to_tsvector(
        array(SELECT search_shelf(lot_id) || '.' || word FROM unnest(tsvector_to_array(words)) AS word));
    CREATE FUNCTION search_query_on(shelf bigint, said text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN (SELECT string_agg('''' || shelf || '.' || word || ''':*', ' & ')::tsquery
        FROM (SELECT word FROM unnest(search_words(said)) AS word LIMIT 16) AS words);
    CREATE INDEX lot_search_shelves ON lot_search USING gin (search_shelved(lot_id, words));
    ANALYZE lot_search;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX lot_search_shelves;
    DROP FUNCTION search_query_on(bigint, text);
    DROP FUNCTION search_shelved(bigint, tsvector);
    DROP FUNCTION search_shelf(bigint);
  `);
}
