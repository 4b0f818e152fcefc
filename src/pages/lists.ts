/** What lists on pages have in common: which page of them is requested, what their links keep, and searching. */
import { Type } from '@sinclair/typebox';

export const PageNumber = Type.Integer({ minimum: 1, maximum: 100_000, default: 1 });

type Query = Readonly<Record<string, unknown>>;

/** The address of a list with this query: without what is empty, and without what was done, which is said once. */
export function listAddress(path: string, query: Query): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'done' && value !== undefined && value !== '') text.set(name, String(value));
  }
  const written = text.toString();
  return written === '' ? path : `${path}?${written}`;
}

/** What the pager's links keep of a query: all but the page, ending in `&` where there is any of it. */
export function keptQuery(query: Query): string {
  const kept = listAddress('', { ...query, page: undefined }).slice(1);
  return kept === '' ? '' : `${kept}&`;
}
