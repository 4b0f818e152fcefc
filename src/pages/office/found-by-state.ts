/** The office's lists of people and teams: searched by words and by their state, one page at a time. */
import { type Static, Type } from '@sinclair/typebox';
import {
  type Cell,
  type Column,
  type Filter,
  keptQuery,
  lastPageOf,
  type OfficePage,
  SEARCH,
  type SectionName,
  sortedBy,
} from './office.ts';

export const PER_PAGE = 25;

export const StatusSearch = Type.Object({ ...SEARCH, state: Type.String({ maxLength: 20, default: '' }) });

interface FoundList<R> {
  readonly section: SectionName;
  readonly heading: string;
  readonly placeholder: string;
  readonly states: NonNullable<Filter['options']>;
  readonly columns: readonly Column[];
  readonly row: (one: R) => readonly Cell[];
  readonly empty: string;
}

/** The page of what a search found. */
export function foundPage<R extends { readonly id: number; readonly name: string }>(
  list: FoundList<R>,
  query: Static<typeof StatusSearch>,
  { results, total }: { readonly results: readonly R[]; readonly total: number },
): OfficePage {
  const { q, state, page } = query;
  const { section, heading, placeholder, states, columns, row, empty } = list;
  return {
    section,
    heading,
    filters: [
      { name: 'q', label: 'Search', placeholder, value: q },
      { name: 'state', label: 'State', value: state, options: states },
    ],
    tables: [
      {
        heading: null,
        columns,
        sorted: sortedBy(query),
        rows: results.map(row),
        picks: results.map(({ id, name }) => ({ id: String(id), name })),
        empty,
      },
    ],
    pager: { page, lastPage: lastPageOf(total, PER_PAGE), query: keptQuery(query) },
  };
}
