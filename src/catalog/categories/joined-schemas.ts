/**
 * The forms of categories as they apply to lots: each one's schema joined with its parents', read for several at
 * once.
 */
import type { Knex } from 'knex';
import type { JsonObject } from './category.model.ts';
import { joinSchemas } from './category-schema.ts';

/** Category → joined schema, for those that exist. */
export async function readJoinedSchemas(knex: Knex, ids: number[]): Promise<Map<number, JsonObject>> {
  if (ids.length === 0) return new Map();
  // SQL: walks up the tree, which takes a recursive query.
  const { rows } = await knex.raw<{ rows: { id: number; schemas: (JsonObject | null)[] }[] }>(
    `WITH RECURSIVE path AS (
       SELECT id AS of, id, parent_id, schema, 0 AS depth FROM categories WHERE id = any(?)
       UNION ALL SELECT p.of, c.id, c.parent_id, c.schema, p.depth + 1
       FROM categories c JOIN path p ON c.id = p.parent_id WHERE p.depth < 50)
     SELECT of AS id, json_agg(schema ORDER BY depth DESC) AS schemas FROM path GROUP BY of`,
    [ids],
  );
  return new Map(rows.map(({ id, schemas }) => [id, joinSchemas(schemas.map((schema) => schema ?? {}))]));
}
