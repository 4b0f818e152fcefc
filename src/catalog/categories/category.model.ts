/** A category of the tree. `schema` is the JSON Schema of the custom fields that this category adds to its parents'. */
import { type Static, Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { JsonObject as JsonObjectSchema, orNull, Time } from '../../shared/fields.schema.ts';

export type JsonObject = Static<typeof JsonObjectSchema>;

export const CategoryColumns = Type.Object({
  id: Type.Integer(),
  parent_id: orNull(Type.Integer()),
  slug: Type.String(),
  name: Type.String(),
  description: orNull(Type.String()),
  position: Type.Integer(),
  schema: JsonObjectSchema,
  ui_schema: JsonObjectSchema,
  created_at: Time,
});

export class Category extends shapedBy('categories', CategoryColumns) {}
