/**
 * How many lots saved searches find: those that were listed after a moment, for the notifications, and all of them, for
 * the page of the searches.
 */

import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { countLots } from '../../catalog/lots/lot-counts.ts';
import { lotFilterQuery } from '../../catalog/lots/lot-filters.schema.ts';
import { type LotFilter, readLotFilter } from '../../catalog/lots/lot-filters.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { CountNew } from './saved-searches.ts';

const Query = Type.Object(lotFilterQuery, { additionalProperties: false });

/** The filter of a saved query; null where it is no longer valid. */
async function savedFilter(text: string, categories: CategoryTree): Promise<LotFilter | null> {
  const present = Object.fromEntries(new URLSearchParams(text));
  const query = Value.Convert(Query, { status: 'active', ...present });
  if (!Value.Check(Query, query)) return null;
  const { category_id: id } = query;
  const categoryIds = id === undefined ? null : await categories.withDescendants(id);
  try {
    return readLotFilter(query, categoryIds);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

export function countNewLots(knex: Knex, categories: CategoryTree): CountNew {
  return async (text, listedAfter) => {
    const filter = await savedFilter(text, categories);
    return filter === null ? null : firstOf(await countLots(knex, [{ filter, listedAfter }]));
  };
}

/** Of more than these it is only said that there are more: a list of so many is narrowed down, not read. */
export const MOST_COUNTED = 100;

/** What a search finds now, up to one more than `MOST_COUNTED`. */
export interface SearchCount {
  readonly total: number;
  /** Of these, the lots that were listed after the moment. */
  readonly fresh: number;
}

/**
 * What each of these queries finds, in one statement, and in another what is new of those that find anything; null for
 * one that is no longer valid.
 */
export async function countSearches(
  knex: Knex,
  categories: CategoryTree,
  queries: readonly string[],
  listedAfter: string,
): Promise<(SearchCount | null)[]> {
  const filters = await Promise.all(queries.map((query) => savedFilter(query, categories)));
  const valid = filters.filter((filter) => filter !== null);
  const totals = await countLots(
    knex,
    valid.map((filter) => ({ filter })),
    MOST_COUNTED,
  );
  const finding = valid.filter((_, at) => (totals[at] ?? 0) > 0);
  const news = await countLots(
    knex,
    finding.map((filter) => ({ filter, listedAfter })),
    MOST_COUNTED,
  );
  return filters.map((filter) => {
    if (filter === null) return null;
    const total = totals.shift() ?? 0;
    return { total, fresh: total === 0 ? 0 : (news.shift() ?? 0) };
  });
}
