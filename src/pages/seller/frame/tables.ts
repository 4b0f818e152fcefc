/** The desk's tables: search, filters, order and page in the address, so that a view can be kept and shared. */
import { type TSchema, Type } from '@sinclair/typebox';
import { oneOf } from '../../../shared/fields.schema.ts';

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
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    done: Type.Optional(Type.Literal('deleted')),
    ...more,
  });
}

type Query = Readonly<Record<string, unknown>>;

/** The address of the table with some of its query changed; undefined takes a part out. */
export function tableAddress(path: string, query: Query, change: Query): string {
  const parts = { ...query, done: undefined, ...change };
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined && value !== '') text.set(name, String(value));
  }
  const written = text.toString();
  return written === '' ? path : `${path}?${written}`;
}

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
    const address = sort === null ? null : tableAddress(path, query, { sort, dir, page: undefined });
    return { label, address, sorted: isSorted ? (isDown ? 'descending' : 'ascending') : null, isNumber };
  });
}

/** What the template of a table needs beside its rows: how many there are, and the way to the other pages. */
export function tableParts(query: Query, total: number, page: number) {
  return {
    total,
    page,
    lastPage: Math.max(1, Math.ceil(total / PER_PAGE)),
    pagerQuery: `${tableAddress('', query, { page: undefined }).slice(1)}&`,
  };
}

/** For `LIKE`: the text anywhere, with nothing in it meaning more than itself. */
export function likeAnywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
