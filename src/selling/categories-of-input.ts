/** The category that a seller names: whether it is there, and what it wants of a lot's custom fields. */
import type { Knex } from 'knex';
import { Category, type JsonObject } from '../catalog/categories/category.model.ts';
import { customFieldsCheck, joinSchemas } from '../catalog/categories/category-schema.ts';
import { readJoinedSchemas } from '../catalog/categories/joined-schemas.ts';
import type { AddError } from '../shared/add-error.ts';

/** Adds an error for a category that is not there. */
export async function checkCategory(
  knex: Knex,
  categoryId: number | null | undefined,
  addError: AddError,
): Promise<void> {
  if (categoryId == null) return;
  const found = await Category.query(knex).findById(categoryId).select('id');
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
      addError('custom_fields', 'require a category that describes them');
    return;
  }
  const joined = (await readJoinedSchemas(knex, [categoryId])).get(categoryId) ?? joinSchemas([]);
  customFieldsCheck(joined)(customFields, addError);
}
