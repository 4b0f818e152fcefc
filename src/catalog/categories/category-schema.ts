/**
 * The form of a category's custom fields: its own JSON Schema joined with its parents'. Lots are checked against it
 * on every write, and `GET /categories/{category}/schema` shows it.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject } from '../../../engine/objects.ts';
import { messageOf } from '../../../engine/thrown.ts';
import type { AddError } from '../../shared/add-error.ts';
import type { JsonObject } from './category.model.ts';

const JOINED = new Set([
  '$schema',
  '$id',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$defs',
]);

/** One schema of a chain of categories, the root first: a child's field of the same name wins. */
export function joinSchemas(chain: readonly JsonObject[]): JsonObject {
  const properties: JsonObject = {};
  const required = new Set<string>();
  const definitions: JsonObject = {};
  const rest: JsonObject[] = [];
  for (const schema of chain) {
    Object.assign(properties, schema['properties']);
    Object.assign(definitions, schema['$defs']);
    for (const name of [schema['required'] ?? []].flat()) required.add(String(name));
    const other = Object.entries(schema).filter(([keyword]) => !JOINED.has(keyword));
    if (other.length > 0) rest.push(Object.fromEntries(other));
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
    ...(rest.length > 0 ? { allOf: rest } : {}),
  };
}

/** Looks at schemas only, none of which it keeps: compiling the schema of schemas takes longer than all else. */
const OF_SCHEMAS = new Ajv2020({ strict: false, code: { optimize: false } });

/** Each by itself, so that no name in one is in another's way. Throws where it is no JSON Schema 2020-12. */
function compile(joined: JsonObject): ValidateFunction {
  OF_SCHEMAS.validateSchema(joined, true);
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateSchema: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  return ajv.compile(joined);
}

/**
 * Null when the schema can be used for custom fields, else the sentence that says why not. It is an object schema of
 * JSON Schema 2020-12; an empty one describes no fields.
 */
export function schemaError(schema: JsonObject): string | null {
  const { type, properties, required } = schema;
  if (Object.keys(schema).length === 0) return null;
  if (type !== 'object') return 'must be an object schema of JSON Schema 2020-12, with "type": "object"';
  if (!isObject(properties)) return 'must have "properties" that are an object';
  if (!Object.values(properties).every((part) => isObject(part) || typeof part === 'boolean'))
    return 'must have "properties" that are each a schema';
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
  ) {
    return 'must have "required" that is a list of names';
  }
  try {
    compile(joinSchemas([schema]));
    return null;
  } catch (error) {
    return `is not a valid JSON Schema 2020-12: ${messageOf(error)}`;
  }
}

/** So many errors are named of one lot. */
const MAX_NAMED = 100;

export type CustomFieldsCheck = (customFields: JsonObject, addError: AddError) => void;

/** Compiled checks by the words of their schemas: compiling one takes as long as checking a thousand lots. */
const COMPILED = new Map<string, ValidateFunction>();
const MAX_COMPILED = 200;

function compiled(joined: JsonObject): ValidateFunction {
  const words = JSON.stringify(joined);
  const known = COMPILED.get(words);
  if (known !== undefined) return known;
  const validate = compile(joined);
  if (COMPILED.size >= MAX_COMPILED) COMPILED.clear();
  COMPILED.set(words, validate);
  return validate;
}

/** Adds an error for each wrong field under `custom_fields`. */
export function customFieldsCheck(joined: JsonObject): CustomFieldsCheck {
  const validate = compiled(joined);
  return (customFields, addError) => {
    if (validate(customFields)) return;
    for (const error of (validate.errors ?? []).slice(0, MAX_NAMED))
      addError(pathOf(error), sentenceOf(error));
  };
}

function pathOf(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  const inner = params['missingProperty'] ?? params['additionalProperty'];
  const parts = error.instancePath.split('/').slice(1);
  if (typeof inner === 'string') parts.push(inner);
  return parts.reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`),
    'custom_fields',
  );
}

function sentenceOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required by the category';
  if (error.keyword === 'additionalProperties') return 'is not a field of the category';
  return error.message ?? 'does not match the category’s schema';
}
