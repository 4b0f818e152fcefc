/**
 * The indexes that the schema is made of. Migrations write down which they made, so that one that is missing later,
 * or that a broken-off build left behind, is found.
 */
import type { Knex } from 'knex';

/** Names of all indexes that are there and whole. */
export async function wholeIndexes(knex: Knex): Promise<Set<string>> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND i.indisvalid AND i.indisready`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Notes what migrations changed between two reads; the first time, everything. */
export async function noteIndexes(
  knex: Knex,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Promise<void> {
  if (!(await knex.schema.hasTable('schema_indexes'))) return;
  const isFirst = (await knex('schema_indexes').first('name')) === undefined;
  const gone = [...before].filter((name) => !after.has(name));
  const made = [...after].filter((name) => isFirst || !before.has(name));
  await knex('schema_indexes').whereIn('name', gone).delete();
  if (made.length === 0) return;
  const rows = made.map((name) => ({ name }));
  await knex('schema_indexes').insert(rows).onConflict().ignore();
}

/** Indexes that should be there and are not, or not whole. */
export async function missingIndexes(knex: Knex): Promise<string[]> {
  const whole = await wholeIndexes(knex);
  const wanted: string[] = await knex('schema_indexes').orderBy('name').pluck('name');
  return wanted.filter((name) => !whole.has(name));
}
