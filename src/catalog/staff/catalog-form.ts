/**
 * How staff create, change and delete rows of the catalog: one form for each table. A row's slug names it in URLs: it
 * is given once and never changed.
 */
import type { Knex } from 'knex';
import { type Typed, TypedValues } from './typed-values.ts';

export interface CatalogForm {
  readonly table: 'categories' | 'plans' | 'help_categories' | 'help_articles';
  /** All but the slug. */
  readonly fieldNames: readonly string[];
  /** Gives the columns and adds an error for each wrong field; `id` is null for a new row. */
  readonly read: (
    trx: Knex,
    values: TypedValues,
    typed: Typed,
    id: number | null,
  ) => object | Promise<object>;
  /** Throws 409 for a row that others refer to. */
  readonly requireUnused?: (trx: Knex, id: number) => Promise<void>;
}

/** Creates a row and gives its slug. Throws 422 with every wrong field, and for a slug that is taken. */
export async function createRow(trx: Knex, { table, read }: CatalogForm, typed: Typed): Promise<string> {
  await lockTable(trx, table);
  const values = new TypedValues(typed);
  const slug = values.slug('slug');
  const columns = await read(trx, values, typed, null);
  if ((await trx(table).where({ slug }).first('id')) !== undefined)
    values.addError('slug', 'This slug is already taken.');
  values.finish();
  await trx(table).insert({ slug, ...columns });
  return slug;
}

/** Changes everything but the slug. Throws 422 with every wrong field. */
export async function changeRow(
  trx: Knex,
  { table, read }: CatalogForm,
  id: number,
  typed: Typed,
): Promise<void> {
  await lockTable(trx, table);
  const values = new TypedValues(typed);
  const columns = await read(trx, values, typed, id);
  values.finish();
  await trx(table).where({ id }).update(columns);
}

/** Throws 409 for a row that is in use. */
export async function deleteRow(trx: Knex, { table, requireUnused }: CatalogForm, id: number): Promise<void> {
  await lockTable(trx, table);
  // A transaction that refers to it waits here, and then finds it deleted.
  await trx(table).where({ id }).forUpdate().first('id');
  await requireUnused?.(trx, id);
  await trx(table).where({ id }).delete();
}

/** One change at a time: two could take the same slug, or put two categories into each other. */
async function lockTable(trx: Knex, table: string): Promise<void> {
  // SQL: no builder knows advisory locks.
  await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [table]);
}
