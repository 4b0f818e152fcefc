/** What staff change of the tree of categories: a new one, its place, its words, and the form of its lots' fields. */
import type { Knex } from 'knex';
import { Refusal } from '../../shared/refusal.ts';
import { Category } from '../categories/category.model.ts';
import { schemaError } from '../categories/category-schema.ts';
import { type Typed, TypedValues } from './typed-values.ts';

export const CATEGORY_FIELDS = ['name', 'parent', 'description', 'position', 'schema', 'ui_schema'] as const;

/** Makes a category. Throws 422 with every wrong field, for a slug that is taken too. */
export async function createCategory(trx: Knex, typed: Typed): Promise<string> {
  await lockTree(trx);
  const values = new TypedValues(typed);
  const slug = values.slug('slug');
  const columns = await readCategory(trx, values, typed, null);
  if ((await Category.query(trx).findOne({ slug })) !== undefined)
    values.addError('slug', 'Another category has this slug.');
  values.finish();
  await trx('categories').insert({ slug, ...columns });
  return slug;
}

/** Changes everything of a category but its slug. Throws 422 with every wrong field. */
export async function changeCategory(trx: Knex, id: number, typed: Typed): Promise<void> {
  await lockTree(trx);
  const values = new TypedValues(typed);
  const columns = await readCategory(trx, values, typed, id);
  values.finish();
  await trx('categories').where({ id }).update(columns);
}

/** What a category is named by: table, column, and what it is called, for one and for more. */
const USES = [
  ['lots', 'category_id', 'lot', 'lots'],
  ['auctions', 'category_id', 'auction', 'auctions'],
  ['inventory_items', 'category_id', 'inventory item', 'inventory items'],
  ['categories', 'parent_id', 'category below it', 'categories below it'],
] as const;

/** Deletes a category that nothing is in. Throws 409 that says what is. */
export async function deleteCategory(trx: Knex, id: number): Promise<void> {
  await lockTree(trx);
  // A transaction that adds something to it now waits, and then finds it deleted.
  await trx('categories').where({ id }).forUpdate().first('id');
  const used: string[] = [];
  for (const [table, column, one, more] of USES) {
    const [row] = await trx(table).where(column, id).count<{ n: string }[]>({ n: '*' });
    const count = Number(row?.n ?? 0);
    if (count > 0) used.push(`${count} ${count === 1 ? one : more}`);
  }
  if (used.length > 0)
    throw new Refusal('invalid_transition', { message: `It is in use: ${used.join(', ')}.` });
  await trx('categories').where({ id }).delete();
}

/** Two changes at once could make a circle that neither of them sees. */
async function lockTree(trx: Knex): Promise<void> {
  // SQL: no builder knows advisory locks.
  await trx.raw("select pg_advisory_xact_lock(hashtext('categories'))");
}

async function readCategory(trx: Knex, values: TypedValues, typed: Typed, id: number | null) {
  const schema = values.object('schema');
  const wrong = schemaError(schema);
  if (wrong !== null) values.addError('schema', `It ${wrong}.`);
  return {
    name: values.line('name', 200),
    parent_id: await parentOf(trx, values, typed['parent'] ?? '', id),
    description: values.text('description', 5_000),
    position: values.position('position'),
    schema: JSON.stringify(schema),
    ui_schema: JSON.stringify(values.object('ui_schema')),
  };
}

/** Null for none. A category is in none of those below it. */
async function parentOf(
  trx: Knex,
  values: TypedValues,
  slug: string,
  id: number | null,
): Promise<number | null> {
  if (slug === '') return null;
  const parent = await Category.query(trx).findOne({ slug });
  if (parent === undefined) {
    values.addError('parent', 'There is no such category.');
    return null;
  }
  // SQL: walks up the tree, which takes a recursive query.
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    `WITH RECURSIVE path AS (
       SELECT id, parent_id, 0 AS depth FROM categories WHERE id = ?
       UNION ALL SELECT c.id, c.parent_id, p.depth + 1 FROM categories c JOIN path p ON c.id = p.parent_id
       WHERE p.depth < 50)
     SELECT id FROM path`,
    [parent.id],
  );
  if (rows.some((row) => row.id === id))
    values.addError('parent', 'A category cannot be placed in itself or in one of its descendants.');
  return parent.id;
}
