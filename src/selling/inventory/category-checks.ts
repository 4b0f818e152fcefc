/**
 * Whether items still fit what their categories want of custom fields: each category's form is read and compiled
 * once.
 */
import type { Knex } from 'knex';
import { objectIn } from '../../../engine/objects.ts';
import type { JsonObject } from '../../catalog/categories/category.model.ts';
import { type CustomFieldsCheck, customFieldsCheck } from '../../catalog/categories/category-schema.ts';
import { readJoinedSchemas } from '../../catalog/categories/joined-schemas.ts';

/** Gives what is wrong with an item's custom fields as a sentence, or null. */
export type ItemCheck = (categoryId: number | null, customFields: JsonObject) => string | null;

/** The check over items of these categories. Items without a category have no custom fields to check. */
export async function itemCheck(knex: Knex, categoryIds: readonly (number | null)[]): Promise<ItemCheck> {
  const ids = [...new Set(categoryIds.filter((id) => id !== null))];
  const checks = new Map<number, CustomFieldsCheck>();
  for (const [id, joined] of await readJoinedSchemas(knex, ids)) {
    const isPlain = Object.keys(objectIn(joined['properties'])).length === 0 && !('allOf' in joined);
    checks.set(id, isPlain ? refuseAny : customFieldsCheck(joined));
  }
  return (categoryId, customFields) => {
    let wrong: string | null = null;
    if (categoryId !== null)
      checks.get(categoryId)?.(customFields, (field, message) => {
        wrong ??= `The ${field} field ${message}.`;
      });
    return wrong;
  };
}

/** What a form without fields comes to; compiling it costs more than all else. */
const refuseAny: CustomFieldsCheck = (customFields, addError) => {
  for (const name of Object.keys(customFields))
    addError(`custom_fields.${name}`, 'is not a field of the category');
};
