/**
 * How many lots each value of a filter would leave: what the search page shows alongside its filters. Each count is
 * taken with all other filters in force and its own left out, so that a choice can be changed; cached as long as the
 * totals of lists.
 */

import type { Knex } from 'knex';
import { runPrepared, type Statement, Values } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { CACHE_TIMES, type CacheTimes } from '../../shared/caching/cache-times.ts';
import { SharedReads } from '../../shared/caching/shared-reads.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import type { LotFilterQuery } from './lot-filters.schema.ts';
import { type LotFilter, listedSql, lotsFrom, readLotFilter, wholeFilterSql } from './lot-filters.ts';
import { LOT_CATEGORY_JOIN } from './lot-item.ts';
import {
  foundSql,
  isParticular,
  type Match,
  SEARCH_JOIN,
  statusSql,
  totalStatement,
} from './lot-list-statements.ts';

/** A value and how many lots have it, the commonest first. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface LotFacets {
  readonly states: readonly FacetCount[];
  readonly counties: readonly FacetCount[];
  readonly conditions: readonly FacetCount[];
  /** By category id, the lots of the category itself alone. */
  readonly categories: ReadonlyMap<number, number>;
  /** By the hours of `ending_within`. */
  readonly endings: readonly FacetCount[];
}

/** The hours that `ending_within` is offered with. */
const ENDING_HOURS = [1, 24, 72, 168] as const;

const MAX_VALUES = 40;

export class LotFacetCounts {
  readonly #knex: Knex;
  readonly #facets: ShortCache<LotFacets>;
  readonly #shared = new SharedReads<LotFacets>();

  constructor(knex: Knex, times: CacheTimes = CACHE_TIMES) {
    this.#knex = knex;
    this.#facets = new ShortCache(times.totalMs, 300);
  }

  /** `categoryIds`: those of the category requested, with everything below it. */
  read(query: LotFilterQuery, categoryIds: readonly number[] | null): Promise<LotFacets> {
    const key = JSON.stringify([query, categoryIds]);
    return this.#shared.get(key, () => this.#facets.get(key, () => this.#read(query, categoryIds)));
  }

  async #read(query: LotFilterQuery, categoryIds: readonly number[] | null): Promise<LotFacets> {
    const match = await this.#matchOf(readLotFilter(query, categoryIds));
    const { ending_within: _hours, ending_before: _moment, ...all } = query;
    const { category_id: _category, ...anywhere } = query;
    const without = (cleared: { readonly state?: undefined; county?: undefined; condition?: undefined }) =>
      readLotFilter({ ...query, ...cleared }, categoryIds);
    const [states, counties, conditions, categories, endings] = await Promise.all([
      this.#values('l.state', { match, ...without({ state: undefined, county: undefined }) }),
      this.#values('l.county', { match, ...without({ county: undefined }) }),
      this.#values('l.condition', { match, ...without({ condition: undefined }) }),
      this.#categories({ match, ...readLotFilter(anywhere, null) }),
      this.#endings(all, categoryIds, match),
    ]);
    return { states, counties, conditions, categories, endings };
  }

  /** How the list of these lots finds them: by likeness where nothing begins with what was searched for. */
  async #matchOf(filter: LotFilter): Promise<Match> {
    if (filter.search === null) return 'begins';
    const rows = await runPrepared<[number]>(this.#knex, totalStatement(filter, 'begins'));
    return Number(rows[0]?.[0] ?? 0) > 0 ? 'begins' : 'resembles';
  }

  async #values(column: string, filter: CountedFilter): Promise<FacetCount[]> {
    const rows = await runPrepared<[string, number]>(
      this.#knex,
      statement(filter, `SELECT min(${column}), count(*)`, `lower(${column})`, `${column} IS NOT NULL`),
    );
    return rows.map(([value, count]) => ({ value, count: Number(count) }));
  }

  async #categories(filter: CountedFilter): Promise<Map<number, number>> {
    const rows = await runPrepared<[number, number]>(
      this.#knex,
      statement(filter, 'SELECT c.id, count(*)', 'c.id', 'c.id IS NOT NULL', true),
    );
    return new Map(rows.map(([id, count]) => [Number(id), Number(count)]));
  }

  async #endings(
    query: LotFilterQuery,
    categoryIds: readonly number[] | null,
    match: Match,
  ): Promise<FacetCount[]> {
    const counted = await Promise.all(
      ENDING_HOURS.map(async (hours) => {
        const filter = { match, ...readLotFilter({ ...query, ending_within: hours }, categoryIds) };
        const rows = await runPrepared<[number]>(
          this.#knex,
          statement(filter, 'SELECT count(*)', null, 'true'),
        );
        return { value: String(hours), count: Number(rows[0]?.[0] ?? 0) };
      }),
    );
    return counted;
  }
}

interface CountedFilter extends LotFilter {
  readonly match: Match;
}

function statement(
  filter: CountedFilter,
  select: string,
  groupBy: string | null,
  condition: string,
  withCategory = false,
): Statement {
  const values = new Values();
  const words =
    filter.search === null
      ? ''
      : `${SEARCH_JOIN} AND ${foundSql(`${values.add(filter.search)}::text`, filter.match)}`;
  const lots = lotsFrom(filter);
  const from =
    withCategory && !lots.includes('JOIN') ? `${lots} JOIN auctions a ON a.id = l.auction_id` : lots;
  const where = wholeFilterSql(filter, values);
  const text = `${select} FROM ${from} ${withCategory ? LOT_CATEGORY_JOIN : ''} ${words}
    WHERE ${statusSql(filter)} AND ${listedSql(filter, firstOf(filter.statuses))} AND ${where} AND ${condition}
    ${groupBy === null ? '' : `GROUP BY ${groupBy} ORDER BY 2 DESC, 1 LIMIT ${MAX_VALUES}`}`;
  return { text, values: values.list, once: isParticular(filter) };
}
