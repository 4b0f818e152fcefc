/**
 * The Objection model that every resource's model extends. Models serve writes and rare reads and always take their
 * connection or transaction by hand (`Lot.query(db.knex)`); nothing is bound globally, so tests can use many databases.
 * What comes in is checked at the door (requests, import file) by the resources' schemas, so models do not check again.
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { Model, type RelationMapping } from 'objection';

export class Row extends Model {
  declare id: number;

  static override get useLimitInFirst(): boolean {
    return true;
  }

  /** Relations are fetched one after the other: a transaction's connection runs one statement at a time. */
  static get concurrency(): number {
    return 1;
  }
}

/** A class of rows that have the columns of `C` besides those that it declares itself. */
export type RowWith<C> = Omit<typeof Row, 'prototype'> & (new () => Row & C);

/**
 * A model whose columns are the schema's: the same schema types the rows, names the JSON columns and can check a row.
 */
export type ShapedRow<C extends TObject> = Omit<typeof Row, 'prototype'> & (new () => Model & Static<C>);

/** Marks a list that is an array of Postgres' own, not JSON: `Type.Array(Ability, SQL_ARRAY)`. */
export const SQL_ARRAY = { column: 'array' } as const;

/**
 * The base class of a model of this table: `class Offer extends shapedBy('offers', OfferColumns) {}`. Relations are
 * declared in the class that extends it.
 */
export function shapedBy<C extends TObject>(
  tableName: string,
  columns: C,
  idColumn: string | string[] = 'id',
): ShapedRow<C> {
  const json = Object.entries(columns.properties).flatMap(([name, column]) => (isJson(column) ? [name] : []));
  class Shaped extends Row {
    static override tableName = tableName;
    static override idColumn = idColumn;

    static override get jsonAttributes(): string[] {
      return json;
    }
  }
  // Cast: the columns come with each row; no class can declare what a schema only names at run time.
  return Shaped as unknown as ShapedRow<C>;
}

/** The relation to the one row that a column names: `{ invoice: belongsTo(Invoice, 'payments.invoice_id') }`. */
export function belongsTo(modelClass: typeof Model, from: string): RelationMapping<Model> {
  const to = `${modelClass.tableName}.${String(modelClass.idColumn)}`;
  return { relation: Model.BelongsToOneRelation, modelClass, join: { from, to } };
}

/**
 * The relation to all rows whose column `to` names this one: `{ lines: hasMany(Line, 'invoice_lines.invoice_id',
 * Invoice) }`.
 */
export function hasMany(modelClass: typeof Model, to: string, owner: typeof Model): RelationMapping<Model> {
  const from = `${owner.tableName}.${String(owner.idColumn)}`;
  return { relation: Model.HasManyRelation, modelClass, join: { from, to } };
}

function isJson(schema: TSchema): boolean {
  if (schema['column'] === SQL_ARRAY.column) return false;
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].some(isJson);
  return [schema['type']].flat().some((type) => type === 'array' || type === 'object');
}
