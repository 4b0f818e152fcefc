/** What follows from the list of a lot's descriptive fields: schemas, columns, SQL, answers. */
import { type TOptional, type TSchema, Type } from '@sinclair/typebox';
import { namesIn } from '../../engine/objects.ts';
import {
  type FilterKind,
  LOT_FIELDS,
  type LotField,
  type LotFieldColumns,
  type LotFieldGroup,
} from './lot-fields.ts';

type Fields<G extends LotFieldGroup> = (typeof LOT_FIELDS)[G];
type Named = readonly [name: keyof LotFieldColumns, field: LotField];

/** The fields of a group, in their order. */
export function fieldsOf(group: LotFieldGroup): readonly Named[] {
  const fields: { readonly [Name in keyof LotFieldColumns]?: LotField } = LOT_FIELDS[group];
  return namesIn(fields).flatMap((name): Named[] => {
    const field = fields[name];
    return field === undefined ? [] : [[name, field]];
  });
}

/** The properties of a group in a body. */
export function inputsOf<G extends LotFieldGroup>(
  group: G,
): {
  [N in keyof Fields<G>]: Fields<G>[N] extends { input: infer I extends TSchema } ? TOptional<I> : never;
} {
  return schemasOf(group, ({ input }) => Type.Optional(input));
}

/** The properties of a group in an answer. */
export function outputsOf<G extends LotFieldGroup>(
  group: G,
): { [N in keyof Fields<G>]: Fields<G>[N] extends { output: infer O extends TSchema } ? O : never } {
  return schemasOf(group, ({ output }) => output);
}

function schemasOf<T>(group: LotFieldGroup, schema: (field: LotField) => TSchema): T {
  // Cast: one schema for each field of the group, which Object.fromEntries forgets.
  return Object.fromEntries(fieldsOf(group).map(([name, field]) => [name, schema(field)])) as T;
}

/** What lists are filtered by, and how. */
export const FILTERED_FIELDS: readonly (readonly [name: keyof LotFieldColumns, kind: FilterKind])[] = namesIn(
  LOT_FIELDS,
).flatMap((group) =>
  fieldsOf(group).flatMap(([name, { filteredBy }]) =>
    filteredBy === undefined ? [] : [[name, filteredBy] as const],
  ),
);

/** Every column, in the order of the list. */
export const LOT_FIELD_COLUMNS: readonly (keyof LotFieldColumns)[] = [
  ...fieldsOf('about'),
  ...fieldsOf('format'),
  ...fieldsOf('location'),
  ...fieldsOf('land'),
].map(([name]) => name);

/** A lot's field that only one format has. */
export type FormatField = keyof Fields<'format'>;

export const FORMAT_FIELDS: readonly FormatField[] = namesIn(LOT_FIELDS.format);

/** Those that an auction may say for all of its lots, which a lot may say otherwise. */
export const LOTS_BY_AUCTION = [
  'tender_may_lower',
  'tender_may_withdraw',
  'tender_pays',
  'tender_final_round',
  'tender_final_seconds',
] as const satisfies readonly FormatField[];

/** The columns of a group that was sent; those that were not are absent. `null` empties all of them. */
export function storedFields(
  group: LotFieldGroup,
  sent: Readonly<Partial<Record<keyof LotFieldColumns, unknown>>> | null,
): Partial<LotFieldColumns> {
  const columns = fieldsOf(group).flatMap(([name, { empty, stored }]) => {
    if (sent === null) return [[name, empty]];
    const value = sent[name];
    if (value === undefined) return [];
    return [[name, value === null || stored === undefined ? value : stored(value)]];
  });
  return Object.fromEntries(columns);
}

/** A group as answered. */
export function shownFields(group: LotFieldGroup, row: LotFieldColumns): Record<string, unknown> {
  const shown = fieldsOf(group).map(([name, field]) => {
    const value = row[name];
    return [name, value === null || field.shown === undefined ? value : field.shown(value)];
  });
  return Object.fromEntries(shown);
}

/** All columns of a table, for a list of what is selected. */
export function fieldColumnsSql(table: string): string {
  return LOT_FIELD_COLUMNS.map((name) => `${table}.${name}`).join(', ');
}

/** A group's columns of a table as JSON is to have them, for a list of what is selected. */
export function fieldsAsJsonSql(group: LotFieldGroup, table: string): string {
  return fieldsOf(group)
    .map(([name, { jsonSql }]) =>
      jsonSql === undefined ? `${table}.${name}` : `${jsonSql(`${table}.${name}`)} AS ${name}`,
    )
    .join(', ');
}
