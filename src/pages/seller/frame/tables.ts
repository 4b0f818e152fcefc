/** The desk's tables: search, filters, order and page in the address, so that a view can be kept and shared. */
import { type TSchema, Type } from '@sinclair/typebox';
import { lastPageOf } from '../../../../adapters/http/envelope.ts';
import { oneOf } from '../../../shared/fields.schema.ts';
import { keptQuery, listAddress, PageNumber } from '../../lists.ts';

export const PER_PAGE = 50;

/** The query of a table whose rows may be in one of these orders; pages pass over what does not fit. */
export function tableQuery<const T extends string, M extends Record<string, TSchema>>(
  orders: readonly T[],
  more: M,
) {
  return Type.Object({
    search: Type.Optional(Type.String({ maxLength: 200 })),
    sort: Type.Optional(oneOf(orders)),
    dir: Type.Optional(oneOf(['asc', 'desc'])),
    page: PageNumber,
    done: Type.Optional(Type.Literal('deleted')),
    ...more,
  });
}

type Query = Readonly<Record<string, unknown>>;

export interface ColumnHead {
  readonly label: string;
  /** Where it orders by this column; null for one that orders nothing. */
  readonly address: string | null;
  readonly sorted: 'ascending' | 'descending' | null;
  readonly isNumber: boolean;
}

/** The heads of a table's columns, each a link to its order, or to the other direction of it. */
export function columnHeads(
  path: string,
  query: Query,
  columns: readonly (readonly [label: string, sort: string | null, isNumber?: boolean])[],
): ColumnHead[] {
  return columns.map(([label, sort, isNumber = false]) => {
    const isSorted = sort !== null && query['sort'] === sort;
    const isDown = query['dir'] === 'desc';
    const dir = isSorted && !isDown ? 'desc' : 'asc';
    const address = sort === null ? null : listAddress(path, { ...query, sort, dir, page: undefined });
    return { label, address, sorted: isSorted ? (isDown ? 'descending' : 'ascending') : null, isNumber };
  });
}

/** What the template of a table needs alongside its rows: how many there are, and the way to the other pages. */
export function tableView(query: Query & { readonly page: number }, total: number) {
  return {
    total,
    page: query.page,
    lastPage: lastPageOf({ perPage: PER_PAGE, total }),
    pagerQuery: keptQuery(query),
  };
}

/** The query of a list that an operation of the API pages, and that is filtered by status. */
export function statusQuery<const S extends string>(statuses: readonly S[]) {
  return Type.Object({ status: Type.Optional(oneOf(statuses)), page: PageNumber });
}

/** What its template needs alongside the rows, from the answer's `meta`. */
export function statusFilters(
  statuses: readonly string[],
  query: { readonly status?: string; readonly page: number },
  meta: Readonly<Record<string, unknown>>,
) {
  return {
    statuses,
    status: query.status ?? '',
    page: query.page,
    lastPage: Number(meta['last_page'] ?? 1),
    pagerQuery: keptQuery(query),
  };
}
