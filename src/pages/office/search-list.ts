/** The office’s lists of what a search finds: filters, columns that sort, rows to select, one page at a time. */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import type { Model, QueryBuilder } from 'objection';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { type Order, readModelPage } from '../../shared/paging/read-page.ts';
import { keptQuery, PageNumber } from '../lists.ts';
import { wordsOf } from '../seller/forms/field-words.ts';
import type { NamedThings } from './named-filter.ts';
import type { Cell, Column, Filter, OfficeList, OfficePage, Table } from './office.ts';

export const PER_PAGE = 25;

/** What every search of the office takes. */
export const SEARCH = {
  q: Type.String({ maxLength: 200, default: '' }),
  sort: Type.String({ maxLength: 40, default: '' }),
  page: PageNumber,
};

export const StatusSearch = Type.Object({ ...SEARCH, state: Type.String({ maxLength: 20, default: '' }) });

interface Searched {
  readonly sort: string;
  readonly page: number;
}

/** How rows of a kind are shown. */
export interface RowTable<R> {
  readonly columns: readonly Column[];
  readonly row: (one: R) => readonly Cell[];
  /** What selects a row; without it none can be selected. */
  readonly pick?: (one: R) => { readonly id: string; readonly name: string };
}

interface SearchList<Q extends TObject & { readonly static: Searched }, R>
  extends RowTable<R>,
    Omit<OfficeList<Q>, 'read'>,
    Pick<OfficePage, 'section' | 'heading' | 'tabs'> {
  /** The things that its query names, where it has such filters. */
  readonly named?: (query: Static<Q>) => Promise<NamedThings>;
  readonly filters: (query: Static<Q>, named: readonly Filter[]) => readonly Filter[];
  /** The rows of a page, `PER_PAGE` at the most, and how many there are. */
  readonly find: (
    query: Static<Q>,
    ids: NamedThings['ids'],
  ) => Promise<{ readonly rows: readonly R[]; readonly total: number }>;
  /** What is said where nothing is found. */
  readonly empty: string;
}

export function searchList<Q extends TObject & { readonly static: Searched }, R>(
  list: SearchList<Q, R>,
): OfficeList<Q> {
  const { path, operationId, summary, query: schema, section, heading, tabs } = list;
  return {
    path,
    operationId,
    summary,
    query: schema,
    async read(query) {
      const named = (await list.named?.(query)) ?? { ids: {}, filters: [] };
      const { rows, total } = await list.find(query, named.ids);
      const table = tableOf(list, rows, list.empty);
      return {
        section,
        heading,
        ...(tabs === undefined ? {} : { tabs }),
        filters: list.filters(query, named.filters),
        tables: [{ ...table, columns: list.columns, sorted: sortedBy(query) }],
        pager: {
          page: query.page,
          lastPage: lastPageOf({ perPage: PER_PAGE, total }),
          query: keptQuery(query),
        },
      };
    },
  };
}

/** A table of some rows, in the order in which they come. */
export function tableOf<R>(
  { columns, row, pick }: RowTable<R>,
  rows: readonly R[],
  empty: string,
  heading: string | null = null,
): Table {
  return {
    heading,
    columns: columns.map((column) => (typeof column === 'string' ? column : column.name)),
    rows: rows.map(row),
    ...(pick === undefined ? {} : { picks: rows.map(pick) }),
    empty,
  };
}

/**
 * What a list is sorted by: a column by its name in the address, downwards with a minus; newest first by the last
 * column where nothing else is requested.
 */
export function orderOf(
  sort: string,
  columns: Readonly<Record<string, string>>,
  id: string,
): { column: string; order: 'asc' | 'desc' }[] {
  const name = sort.replace(/^-/, '');
  const newest = { column: id, order: 'desc' as const };
  if (!Object.hasOwn(columns, name)) return [newest];
  return [{ column: columns[name] ?? id, order: sort.startsWith('-') ? 'desc' : 'asc' }, newest];
}

/** A page of what a query finds, in the order that is asked for. */
export function requestedPage<M extends Model, R>(
  query: QueryBuilder<M, R[]>,
  { sort, page }: Searched,
  columns: Readonly<Record<string, string>>,
  id: string,
) {
  return pageIn(query, orderOf(sort, columns, id), PER_PAGE, page);
}

/** A page of a query, the first one where none is named, and how many rows there are in all. */
export async function pageIn<M extends Model, R>(
  query: QueryBuilder<M, R[]>,
  order: readonly Order[],
  perPage: number,
  page = 1,
): Promise<{ rows: R[]; total: number }> {
  const { rows, paging } = await readModelPage(query, order, { page, per_page: perPage });
  return { rows, total: paging.total };
}

/** How a table says what it is sorted by. */
function sortedBy(query: Searched) {
  return { by: query.sort, query: keptQuery({ ...query, sort: undefined }) };
}

/** Whether what is searched for may be a row's number. */
export const isNumber = (q: string): boolean => /^[1-9][0-9]{0,14}$/.test(q);

/** A filter by words. */
export function wordsFilter(placeholder: string, value: string): Filter {
  return { name: 'q', label: 'Search', placeholder, value };
}

/** A filter by one of some words, or by none of them; each with what people call it, or as its words. */
export function choiceFilter(
  name: string,
  label: string,
  value: string,
  words: readonly (string | readonly [value: string, label: string])[],
): Filter {
  const options = words.map((one) => (typeof one === 'string' ? ([one, wordsOf(one)] as const) : one));
  return { name, label, value, options: [['', 'All'], ...options] };
}

/** A filter by a month of the calendar. Browsers that have no field for it show how it is written. */
export function monthFilter(name: string, label: string, value: string): Filter {
  return { name, label, value, type: 'month', placeholder: '2026-11' };
}
