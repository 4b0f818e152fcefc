/**
 * The fields of a category's lots as staff fill them in: a row for each that a row can say, in the order in which they
 * are shown. What no row says stays JSON Schema, and is kept as it is.
 */
import { isObject, objectIn } from '../../../engine/objects.ts';
import type { JsonObject } from '../categories/category.model.ts';
import { type AddRowError, columnsText, type FieldRow, kindOf, propertyOf } from './field-rows.ts';
import type { Typed, TypedValues } from './typed-values.ts';

/** What the form of a category sends of its fields. */
export const FIELD_NAMES = ['label', 'name', 'kind', 'choices', 'minimum', 'maximum', 'required'].map(
  (column) => `fields.*.${column}`,
);

const ORDER = 'ui:order';
const MAX_ROWS = 200;
const MAX_LABEL = 200;
/** Names that can be columns of files, and parts of addresses. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,59}$/;

interface CategorySchemas {
  readonly schema: JsonObject;
  readonly ui_schema: JsonObject;
}

/** A category's fields by rows, and the rest of its two schemas. */
interface CategoryFields extends CategorySchemas {
  readonly rows: readonly FieldRow[];
}

/** Takes the schemas of a category apart. */
export function fieldsOfCategory({ schema, ui_schema: ui }: CategorySchemas): CategoryFields {
  const { type: _, properties, required, additionalProperties, ...others } = schema;
  const names = listOf(required);
  const rows: FieldRow[] = [];
  const rest: Record<string, unknown> = {};
  for (const [name, property] of inOrder(Object.entries(objectIn(properties)), listOf(ui[ORDER]))) {
    const kind = NAME.test(name) ? kindOf(property) : null;
    if (kind === null) rest[name] = property;
    else rows.push({ name, kind, required: names.includes(name), ...columnsText(name, objectIn(property)) });
  }
  const requiredRest = names.filter((name) => Object.hasOwn(rest, name));
  const { [ORDER]: _order, ...otherUi } = ui;
  return {
    rows,
    schema: {
      ...others,
      ...(additionalProperties === undefined || additionalProperties === false
        ? {}
        : { additionalProperties }),
      ...(Object.keys(rest).length === 0 ? {} : { properties: rest }),
      ...(requiredRest.length === 0 ? {} : { required: requiredRest }),
    },
    ui_schema: otherUi,
  };
}

/** Puts them together as they were typed, with an error for each wrong one; nothing typed is an empty schema. */
export function readCategoryFields(values: TypedValues): CategorySchemas {
  const rest = values.object('schema');
  const ui = values.object('ui_schema');
  const rows = values.rows('fields', MAX_ROWS);
  const properties: Record<string, unknown> = {};
  const required = listOf(rest['required']);
  const taken = objectIn(rest['properties']);
  for (const { at, texts } of rows) {
    const addError: AddRowError = (column, sentence) => values.addError(`fields.${at}.${column}`, sentence);
    const name = nameIn(texts, { ...taken, ...properties }, addError);
    properties[name] = propertyOf(texts, addError);
    if (texts['required'] === 'true') required.push(name);
  }
  if (rows.length === 0) return { schema: rest, ui_schema: ui };
  const all = { ...properties, ...taken };
  const schema = { additionalProperties: false, ...rest, type: 'object', properties: all };
  return {
    schema: required.length === 0 ? schema : { ...schema, required: [...new Set(required)] },
    ui_schema: { ...ui, [ORDER]: Object.keys(all) },
  };
}

/** What a row's field is named, by which no other is. */
function nameIn(texts: Typed, others: object, addError: AddRowError): string {
  const label = texts['label'] ?? '';
  const name = texts['name'] || nameOf(label);
  if (label === '' || label.length > MAX_LABEL)
    addError('label', `It must have 1 to ${MAX_LABEL} characters.`);
  if (label !== '' && !NAME.test(name))
    addError('name', 'It must be a letter, then letters, digits, _ and -, at most 60 characters.');
  else if (Object.hasOwn(others, name)) addError('name', 'Another field has this name.');
  return name;
}

/** `Engine hours` → `engine_hours` */
function nameOf(label: string): string {
  const plain = label.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 60);
}

function inOrder(
  entries: readonly (readonly [string, unknown])[],
  order: readonly string[],
): (readonly [string, unknown])[] {
  const rank = ([name]: readonly [string, unknown]) => {
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  return entries
    .filter(([, one]) => isObject(one) || typeof one === 'boolean')
    .toSorted((a, b) => rank(a) - rank(b));
}

/** The words of a list. */
function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
