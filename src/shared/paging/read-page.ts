/** One page of a query with its total, in two statements; for lists that are read rarely. */
import type { Knex } from 'knex';
import type { Model, QueryBuilder } from 'objection';
import type { Paging } from '../../../adapters/http/envelope.ts';

export interface ReadPage<Row> {
  readonly rows: Row[];
  readonly paging: Paging;
}

/** A column, or one with a direction. */
export type Order = string | { readonly column: string; readonly order: 'asc' | 'desc' };

/** The query must name what it selects; `order` must end in a unique column. */
export async function readPage<Row>(
  query: Knex.QueryBuilder,
  order: readonly Order[],
  requested: RequestedPage,
): Promise<ReadPage<Row>> {
  const counted = query.clone().clearSelect().clearOrder().count<{ count: string | number }[]>('* as count');
  const total = Number((await counted)[0]?.count ?? 0);
  return pageOf<Row>(total, requested, (limit, offset) =>
    query
      .clone()
      .orderBy([...order])
      .limit(limit)
      .offset(offset),
  );
}

/** As `readPage`, of models. */
export async function readModelPage<M extends Model, Row>(
  query: QueryBuilder<M, Row[]>,
  order: readonly Order[],
  requested: RequestedPage,
): Promise<ReadPage<Row>> {
  const total = await query.clone().clearSelect().clearOrder().clearWithGraph().resultSize();
  return pageOf(total, requested, (limit, offset) =>
    query
      .clone()
      .orderBy([...order])
      .limit(limit)
      .offset(offset),
  );
}

interface RequestedPage {
  readonly page: number;
  readonly per_page: number;
}

/** Behind the last row nothing is read. */
async function pageOf<Row>(
  total: number,
  { page, per_page: perPage }: RequestedPage,
  read: (limit: number, offset: number) => PromiseLike<Row[]>,
): Promise<ReadPage<Row>> {
  const offset = (page - 1) * perPage;
  return { rows: offset >= total ? [] : await read(perPage, offset), paging: { page, perPage, total } };
}
