/**
 * Reads query strings and browser forms strictly: nothing given twice, nothing that is not UTF-8, and numbers and
 * booleans only in their plain spellings. `validate.ts` calls it; what it cannot convert stays text and fails the
 * schema.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import { isStorable } from './json.ts';
import { MAX_KEYS } from './json-bounds.ts';
import type { ValidationErrors } from './validation-errors.ts';
import { labelOf } from './validation-errors.ts';

const INTEGER = /^-?(0|[1-9][0-9]{0,14})$/;
const NUMBER = /^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/;
/** The largest form is a lot's: all of its own fields, and as many custom ones as an object may have. */
const MAX_PARAMETERS = 2 * MAX_KEYS;

/** Name → text, as a value without a prototype; what is wrong goes into the errors. */
export function parseQuery(text: string, errors: ValidationErrors): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  if (text === '') return values;
  const parts = text.split('&', MAX_PARAMETERS + 1);
  if (parts.length > MAX_PARAMETERS) {
    errors.add('query', `There must not be more than ${MAX_PARAMETERS} parameters.`);
    return values;
  }
  for (const part of parts) if (part !== '') addParameter(part, values, errors);
  return values;
}

function addParameter(part: string, values: Record<string, unknown>, errors: ValidationErrors): void {
  const equals = part.indexOf('=');
  const name = decode(equals < 0 ? part : part.slice(0, equals));
  const value = decode(equals < 0 ? '' : part.slice(equals + 1));
  if (name === null || !isStorable(name)) {
    errors.add('query', 'A parameter name is not allowed.');
  } else if (value === null || !isStorable(value)) {
    errors.add(name, `The ${labelOf(name)} field contains characters that are not allowed.`);
  } else if (name in values) {
    errors.add(name, `The ${labelOf(name)} field must not be given twice.`);
  } else values[name] = value;
}

/**
 * The parameters among `names` that have a value: forms send empty fields too, and links carry what others put into
 * them.
 */
export function filledAndNamed(text: string, names: ReadonlySet<string>): string {
  const isWanted = (part: string) => {
    const equals = part.indexOf('=');
    return equals > 0 && equals < part.length - 1 && names.has(decode(part.slice(0, equals)) ?? '');
  };
  return text.split('&').filter(isWanted).join('&');
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Changes, in place, the values whose schema wants a number or a boolean. One with `x-flag` may be a bare `?name`. */
export function coerce(values: Record<string, unknown>, schema: TObject): void {
  for (const name of Object.keys(values)) {
    const property: TSchema | undefined = Object.hasOwn(schema.properties, name)
      ? schema.properties[name]
      : undefined;
    const value = values[name];
    if (property !== undefined && typeof value === 'string') values[name] = coerceOne(value, property);
  }
}

function coerceOne(text: string, schema: TSchema): unknown {
  switch (schema['type']) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      if (text === 'true' || text === '1') return true;
      if (text === '' && schema['x-flag'] === true) return true;
      return text === 'false' || text === '0' ? false : text;
    default:
      return text;
  }
}
