/**
 * The statement of searches that find too much to rank it all: titles that begin with the searched text, the closest
 * first, then everything else by id. `lot-list.ts` calls it with how many lots there are, which decides the way to the
 * rest.
 */

import { type Statement, Values } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { listedSql, lotsFrom, wholeFilterSql } from './lot-filters.ts';
import { filled, type RowsQuery, statusSql } from './lot-list-statements.ts';

/** How the rest is found, by id: passing all lots, shelf by shelf, or collecting every hit and sorting them. */
export type SearchWay = 'walk' | 'shelves' | 'collect';

/** About how many lots a marketplace has where the way matters. */
const LOTS = 500_000;
/** Checking a lot on the way costs so little, next to finding it through an index. */
const WALKED_AT_ONCE = 8_000;
const PASSED_FOR_ONE_FOUND = 16;

/** The shortest way to the first `wanted` of `total` hits. */
export function searchWay(wanted: number, total: number): SearchWay {
  const passed = (wanted * LOTS) / total;
  if (passed < WALKED_AT_ONCE || passed < wanted * PASSED_FOR_ONE_FOUND) return 'walk';
  return wanted * 2 < total ? 'shelves' : 'collect';
}

/** A page of such a search. */
export function commonSearchStatement(query: RowsQuery & { readonly total: number }): Statement {
  const { filter, limit, offset, total } = query;
  const values = new Values();
  const baseUrl = values.add(query.baseUrl);
  const words = `${values.add(filter.search)}::text`;
  const fold = `search_fold(${words})`;
  const where = `${statusSql(filter)} AND ${listedSql(filter, firstOf(filter.statuses))} AND ${wholeFilterSql(filter, values)}`;
  const upTo = `${values.add(offset + limit)}::bigint`;
  const lots = { from: lotsFrom(filter), where };
  const rest = REST[searchWay(offset + limit, total)]({ words, fold, upTo, lots });
  const picked = `(SELECT p.id, p.k, p.t FROM (
      (SELECT l.id, 0 AS k, s.title_words AS t FROM lot_search s JOIN ${lots.from.replace(' l', ' l ON l.id = s.lot_id')}
        WHERE s.title_words ~>=~ ${fold} AND s.title_words ~<~ (${fold} || U&'\\+10FFFF') AND ${where}
        ORDER BY s.title_words USING ~<~, l.id LIMIT ${upTo})
      UNION ALL
      (${rest})) p
    ORDER BY p.k, p.t COLLATE "C", p.id LIMIT ${values.add(limit)}::bigint OFFSET ${values.add(offset)}::bigint)`;
  return {
    text: filled(picked, baseUrl, 'p.k, p.t COLLATE "C", p.id', filter.near, values),
    values: values.list,
    once: true,
  };
}

interface Rest {
  /**
   * Placeholders and expressions of the words searched for, as they were given and folded, and of the rows wanted at
   * most.
   */
  readonly words: string;
  readonly fold: string;
  readonly upTo: string;
  readonly lots: { readonly from: string; readonly where: string };
}

const REST: Readonly<Record<SearchWay, (rest: Rest) => string>> = {
  walk: (rest) => inOneGo(rest, 'NOT MATERIALIZED'),
  collect: (rest) => inOneGo(rest, 'MATERIALIZED'),
  shelves: ({ words, fold, upTo, lots }) => `
    WITH RECURSIVE shelves(shelf, found, ids) AS (
      SELECT -1::bigint, 0::bigint, '{}'::bigint[]
      UNION ALL
      SELECT b.shelf + 1, b.found + cardinality(hits.ids), hits.ids
      FROM shelves b CROSS JOIN LATERAL (
        SELECT array(SELECT l.id FROM ${lots.from}
          WHERE l.id = ANY(array(SELECT s.lot_id FROM lot_search s
              WHERE search_shelved(s.lot_id, s.words) @@ search_query_on(b.shelf + 1, ${words})
                AND NOT starts_with(s.title_words, ${fold})))
            AND ${lots.where}) AS ids OFFSET 0) hits
      WHERE b.found < ${upTo} AND b.shelf < (SELECT search_shelf(max(lot_id)) FROM lot_search))
    SELECT id, 1, '' FROM shelves, unnest(ids) AS id ORDER BY id LIMIT ${upTo}`,
};

/** Postgres walks where it sees the limit, and collects where the hits are put into a temporary table first. */
function inOneGo({ words, fold, upTo, lots }: Rest, materialized: string): string {
  return `WITH s AS ${materialized} (
      SELECT lot_id, title_words FROM lot_search WHERE words @@ search_query(${words}))
    SELECT l.id, 1, '' FROM s JOIN ${lots.from.replace(' l', ' l ON l.id = s.lot_id')}
    WHERE NOT starts_with(s.title_words, ${fold}) AND ${lots.where} ORDER BY s.lot_id LIMIT ${upTo}`;
}
