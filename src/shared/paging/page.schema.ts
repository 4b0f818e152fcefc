/** The parameters and the shapes of paged answers, for schemas of endpoints. */

import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { orNull } from '../fields.schema.ts';

/** Beyond this a page number is an error: its offset would not fit Postgres' integers. */
const MAX_PAGES = 90_000_000_000_000;

export const page = Type.Integer({ minimum: 1, maximum: MAX_PAGES, default: 1, description: 'From 1.' });
const perPage = Type.Integer({ minimum: 1, maximum: 100, default: 15, description: 'Rows per page.' });

/** What every paged list takes. */
export const pagingQuery = { page, per_page: perPage };

export const sortDir = Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'asc' });

const stale = Type.Object({
  stale: Type.Boolean({
    description: 'Live fields may be out of date: the journal cannot be read at the moment.',
  }),
});

/** `{success, data, message?, meta?}` around data. */
export const bodyOf = <T extends TSchema>(data: T, more: TProperties = {}) =>
  Type.Object({
    success: Type.Literal(true),
    data,
    message: Type.Optional(Type.String()),
    meta: Type.Optional(stale),
    ...more,
  });

/** The page object of auctions and lots. */
export const pageBody = <T extends TSchema>(item: T, more: TProperties = {}) =>
  bodyOf(
    Type.Object({
      current_page: Type.Integer(),
      data: Type.Array(item),
      from: orNull(Type.Integer()),
      to: orNull(Type.Integer()),
      last_page: Type.Integer(),
      per_page: Type.Integer(),
      total: Type.Integer(),
      next_page_url: orNull(Type.String()),
      prev_page_url: orNull(Type.String()),
    }),
    more,
  );

/** Every other paged list. */
export const listBody = <T extends TSchema>(item: T) =>
  bodyOf(Type.Array(item), {
    meta: Type.Object({
      current_page: Type.Integer(),
      last_page: Type.Integer(),
      per_page: Type.Integer(),
      total: Type.Integer(),
      stale: Type.Optional(Type.Boolean()),
    }),
  });
