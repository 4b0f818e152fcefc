/**
 * Turns ajv's errors into what a person can read: `{field: [message, …]}` with dotted paths. `validate.ts` calls it
 * once a check has failed. A schema's own `x-message` wins over the message made from its keyword.
 */
import type { ErrorObject } from 'ajv';
import { objectsIn } from '../../engine/objects.ts';

/** The keyword by which a schema brings its own message. */
export const MESSAGE_KEYWORD = 'x-message';

const MAX_FIELDS = 100;

/** What is wrong with an input: messages by field. Keys such as `__proto__` are safe in it. */
export class ValidationErrors {
  /** Made with the first message: nearly every request has none. */
  #byField: Map<string, Set<string>> | null = null;

  add(field: string, message: string): void {
    this.#byField ??= new Map();
    const messages = this.#byField.get(field);
    if (messages !== undefined) messages.add(message);
    else if (this.#byField.size < MAX_FIELDS) this.#byField.set(field, new Set([message]));
  }

  get isEmpty(): boolean {
    return this.#byField === null;
  }

  /** The `errors` of the failure envelope. */
  toErrors(): Record<string, string[]> {
    const errors: Record<string, string[]> = Object.create(null);
    for (const [field, messages] of this.#byField ?? []) errors[field] = [...messages];
    return errors;
  }
}

/** Adds one message per invalid value; a failed union has one message, its branches have none. */
export function addAjvErrors(errors: ValidationErrors, found: readonly ErrorObject[], root: string): void {
  const unions = found.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  for (const error of found) {
    if (unions.some((union) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`)))
      continue;
    if (error.keyword === 'if') continue;
    const field = fieldOf(error, root);
    errors.add(field, ownMessage(error) ?? messageOf(error, labelOf(field)));
  }
}

/** The last named part of a path, in words: `lots.0.starting_bid` → `starting bid`. */
export function labelOf(field: string): string {
  const parts = field.split('.').filter((part) => !/^[0-9]+$/.test(part));
  const last = parts.at(-1) ?? field;
  return last.startsWith('_') ? last : last.replaceAll('_', ' ');
}

function fieldOf(error: ErrorObject, root: string): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const params: Params = error.params;
  const inner = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
  if (typeof inner === 'string') parts.push(inner);
  return parts.length === 0 ? root : parts.join('.');
}

function ownMessage(error: ErrorObject): string | null {
  if (error.keyword === 'required' || error.keyword === 'additionalProperties') return null;
  const message: unknown = error.parentSchema?.[MESSAGE_KEYWORD];
  return typeof message === 'string' ? message : null;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  'date-time': 'an ISO 8601 date and time',
  date: 'a date (YYYY-MM-DD)',
  email: 'an email address',
  uri: 'an address (URL)',
  uuid: 'a UUID',
};

function messageOf(error: ErrorObject, label: string): string {
  if (error.keyword === 'anyOf' || error.keyword === 'oneOf') return unionMessage(error, label);
  if (error.keyword === 'required') return `The ${label} field is required.`;
  const predicate = PREDICATES[error.keyword];
  return `The ${label} field ${predicate === undefined ? 'is not valid' : predicate(error.params)}.`;
}

type Params = Readonly<Record<string, unknown>>;

const PREDICATES: Readonly<Record<string, (params: Params) => string>> = {
  additionalProperties: () => 'is not recognized',
  type: ({ type }) => `must be ${typeWords(type)}`,
  enum: ({ allowedValues }) => `must be one of: ${[allowedValues].flat().join(', ')}`,
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  format: ({ format }) => `must be ${FORMAT_WORDS[String(format)] ?? 'well formed'}`,
  minItems: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  uniqueItems: () => 'must not contain the same entry twice',
  minProperties: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'field' : 'fields'}`,
  maxProperties: ({ limit }) => `must have at most ${limit} fields`,
  pattern: () => 'has the wrong format',
};

function typeWords(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names.map((name) => TYPE_WORDS[name] ?? name).join(' or ');
}

function unionMessage(error: ErrorObject, label: string): string {
  const branches = objectsIn(error.parentSchema?.['anyOf'] ?? error.parentSchema?.['oneOf']);
  if (branches.length > 0 && branches.every((branch) => branch['const'] !== undefined)) {
    return `The ${label} field must be one of: ${branches.map((branch) => String(branch['const'])).join(', ')}.`;
  }
  const inner = branches
    .map((branch) => branch[MESSAGE_KEYWORD])
    .find((message) => typeof message === 'string');
  if (typeof inner === 'string') return inner;
  const types = branches.map((branch) => branch['type']).filter((type) => typeof type === 'string');
  if (types.length === branches.length && new Set(types).size === types.length) {
    return `The ${label} field must be ${typeWords(types)} in the right format.`;
  }
  return `The ${label} field is not valid.`;
}
