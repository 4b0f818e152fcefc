/** Counts the open lots that fit a saved query and were listed after a moment: called by `notifySearches`. */

import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { lotFilterQuery } from '../../catalog/lots/lot-filters.schema.ts';
import { readLotFilter } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import type { CountNew } from './saved-searches.ts';

const Query = Type.Object(lotFilterQuery, { additionalProperties: false });

/** A lot is listed when its auction starts, or when it is made in one that is on already. */
const LISTED_AFTER = 'greatest(a.start_time, l.created_at) > ?::timestamptz';

export function countNewLots(lists: LotLists, categories: CategoryTree): CountNew {
  return async (text, after) => {
    const present = Object.fromEntries(new URLSearchParams(text));
    const query = Value.Convert(Query, { status: 'active', ...present });
    if (!Value.Check(Query, query)) return null;
    try {
      const id = query.category_id;
      const filter = readLotFilter(query, id === undefined ? null : await categories.withDescendants(id));
      const since = { ...filter, columns: [...filter.columns, [LISTED_AFTER, after] as const] };
      const order = { by: 'id', descending: false } as const;
      return (await lists.read({ filter: since, order, page: 1, perPage: 1, baseUrl: '' })).total;
    } catch {
      return null;
    }
  };
}
