/** What staff change of the tree of categories: a new one, its place, its words, and the form of its lots' fields. */
import type { Knex } from 'knex';
import { Refusal } from '../../shared/refusal.ts';
import { Category } from '../categories/category.model.ts';
import { schemaError } from '../categories/category-schema.ts';
import type { CatalogForm } from './catalog-form.ts';
import { FIELD_NAMES, readCategoryFields } from './category-fields.ts';
import type { Typed, TypedValues } from './typed-values.ts';

export const CATEGORY_FORM: CatalogForm = {
  table: 'categories',
  fieldNames: ['name', 'parent', 'description', 'position', ...FIELD_NAMES, 'schema', 'ui_schema'],
  read: readCategory,
  requireUnused,
};

/** What a category is named by: table, column, and what it is called, for one and for more. */
const USES = [
  ['lots', 'category_id', 'lot', 'lots'],
  ['auctions', 'category_id', 'auction', 'auctions'],
  ['inventory_items', 'category_id', 'inventory item', 'inventory items'],
  ['categories', 'parent_id', 'category below it', 'categories below it'],
] as const;

/** Throws 409 that says what is in it. */
async function requireUnused(trx: Knex, id: number): Promise<void> {
  const used: string[] = [];
  for (const [table, column, one, more] of USES) {
    const [row] = await trx(table).where(column, id).count<{ n: string }[]>({ n: '*' });
    const count = Number(row?.n ?? 0);
    if (count > 0) used.push(`${count} ${count === 1 ? one : more}`);
  }
  if (used.length > 0)
    throw new Refusal('invalid_transition', { message: `It is in use: ${used.join(', ')}.` });
}

async function readCategory(trx: Knex, values: TypedValues, typed: Typed, id: number | null) {
  const { schema, ui_schema } = readCategoryFields(values);
  const wrong = schemaError(schema);
  if (wrong !== null) values.addError('schema', `It ${wrong}.`);
  return {
    name: values.line('name', 200),
    parent_id: await parentOf(trx, values, typed['parent'] ?? '', id),
    description: values.text('description', 5_000),
    position: values.position('position'),
    schema: JSON.stringify(schema),
    ui_schema: JSON.stringify(ui_schema),
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
