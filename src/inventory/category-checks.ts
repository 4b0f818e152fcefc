/** Whether items still fit what their categories want of custom fields: each category's form is read and compiled once. */
import type { Knex } from 'knex';
import type { JsonObject } from '../categories/category.model.ts';
import { type CustomFieldsCheck, customFieldsCheck, joinSchemas } from '../categories/category-schema.ts';

/** Gives what is wrong with an item's custom fields as a sentence, or null. */
export type ItemCheck = (categoryId: number | null, customFields: JsonObject) => string | null;

/** The check over items of these categories. Items without a category have no custom fields to check. */
export async function itemCheck(knex: Knex, categoryIds: readonly (number | null)[]): Promise<ItemCheck> {
  const ids = [...new Set(categoryIds.filter((id) => id !== null))];
  const checks = new Map<number, CustomFieldsCheck>();
  for (const { id, schemas } of ids.length === 0 ? [] : await schemasOf(knex, ids)) {
    const joined = joinSchemas(schemas.map((schema) => schema ?? {}));
    const isPlain = Object.keys(joined['properties'] as object).length === 0 && !('allOf' in joined);
    checks.set(id, isPlain ? refuseAny : customFieldsCheck(joined));
  }
  return (categoryId, customFields) => {
    let wrong: string | null = null;
    if (categoryId !== null)
      checks.get(categoryId)?.(customFields, (field, sentence) => {
        wrong ??= `The ${field} field ${sentence}.`;
      });
    return wrong;
  };
}

/** What a form without fields comes to; compiling it costs more than all else. */
const refuseAny: CustomFieldsCheck = (customFields, complain) => {
  for (const name of Object.keys(customFields))
    complain(`custom_fields.${name}`, 'is no field of the category');
};

async function schemasOf(knex: Knex, ids: number[]) {
  const { rows } = await knex.raw<{ rows: { id: number; schemas: (JsonObject | null)[] }[] }>(
    `WITH RECURSIVE path AS (
       SELECT id AS of, id, parent_id, schema, 0 AS depth FROM categories WHERE id = any(?)
       UNION ALL SELECT p.of, c.id, c.parent_id, c.schema, p.depth + 1
       FROM categories c JOIN path p ON c.id = p.parent_id WHERE p.depth < 50)
     SELECT of AS id, json_agg(schema ORDER BY depth DESC) AS schemas FROM path GROUP BY of`,
    [ids],
  );
  return rows;
}
