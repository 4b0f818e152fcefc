/** The category that a seller names: whether it is there, and what it wants of a lot's custom fields. */
import type { Knex } from 'knex';
import type { JsonObject } from '../catalog/categories/category.model.ts';
import { customFieldsCheck, joinSchemas } from '../catalog/categories/category-schema.ts';
import type { AddError } from '../shared/add-error.ts';

/** Adds an error for a category that is not there. */
export async function checkCategory(
  knex: Knex,
  categoryId: number | null | undefined,
  addError: AddError,
): Promise<void> {
  if (categoryId == null) return;
  const found = await knex('categories').where('id', categoryId).first('id');
  if (found === undefined) addError('category_id', 'must be the id of a category');
}

/**
 * Adds an error for custom fields that do not fit the category's schema, its parents' included. Without a category any
 * fit.
 */
export async function checkCustomFields(
  knex: Knex,
  categoryId: number | null,
  customFields: JsonObject,
  addError: AddError,
): Promise<void> {
  if (categoryId === null) {
    if (Object.keys(customFields).length > 0)
      addError('custom_fields', 'need a category that describes them');
    return;
  }
  const { rows } = await knex.raw<{ rows: { schema: JsonObject }[] }>(
    `WITH RECURSIVE path AS (
       SELECT id, parent_id, schema, 0 AS depth FROM categories WHERE id = ?
       UNION ALL SELECT c.id, c.parent_id, c.schema, p.depth + 1 FROM categories c JOIN path p ON c.id = p.parent_id
       WHERE p.depth < 50)
     SELECT schema FROM path ORDER BY depth DESC`,
    [categoryId],
  );
  customFieldsCheck(joinSchemas(rows.map(({ schema }) => schema ?? {})))(customFields, addError);
}
