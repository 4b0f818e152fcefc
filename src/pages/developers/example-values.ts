/**
 * Makes an example of whatever a schema of the API's description takes: a value that fits it and that reads like one
 * of the service's own. Examples that the schema brings along come first; a test holds every made one against its
 * schema.
 */
import { objectIn, objectsIn } from '../../../engine/objects.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ExampleOptions {
  /** Looks a `$ref` up. */
  readonly resolved: (schema: Json) => Json;
  /** Whether fields that may be left out are shown too. */
  readonly whole: boolean;
}

const DEEPEST = 6;
/** How many fields of a body are shown, optional ones if fewer are required. */
const MIN_SHOWN = 2;
const MOMENT = '2026-07-12T10:00:00.123456Z';
const HASH = '3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea';
const PREVIOUS_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** Texts by the name of the field, where its pattern does not decide. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/(^|_)e?mail$/, 'ann@example.com'],
  [/^(thumbnail|medium|next_page|prev_page|website|payment)_url$/, 'https://example.com/1'],
  [/(^|_)url$/, 'https://example.com/hooks'],
  [/^previous_hash$/, PREVIOUS_HASH],
  [/hash$|^root$|^leaf/, HASH],
  [/^file_name$/, 'barn.webp'],
  [/^mime_type$/, 'image/webp'],
  [/name$/, 'Prairie Gate'],
  [/slug$/, 'spring-land'],
  [/title$/, '40 acres near Emporia'],
  [/^description$/, 'Grassland with a spring-fed pond.'],
  [/^message$/, 'Done.'],
  [/timezone/, 'America/Chicago'],
  [/currency/, 'usd'],
  [/^status$/, 'active'],
  [/^channel$/, 'online'],
  [/^sku$/, 'LND-0040'],
  [/^condition$/, 'used'],
  [/^city$/, 'Emporia'],
  [/^county$/, 'Lyon'],
  [/^state$/, 'KS'],
  [/^country$/, 'US'],
  [/^postal_code$/, '66801'],
  [/^secret$/, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [/^token$/, 'rst_4fTqbGmYw2kZ'],
  [/^end_time$/, '2026-07-19T10:00:00.000000Z'],
  [/^end_date$/, '2026-07-19'],
  [/(_at|_time|_until|^timestamp)$/, MOMENT],
  [/^starting_bid$/, '100.00'],
  [/^minimum_next_bid$/, '1300.00'],
  [/^bid_increment$/, '50.00'],
  [/^max_amount$/, '2000.00'],
  [/(amount|price|bid|premium|total|increment|limit)/, '1250.00'],
  [/paddle/, '1044'],
  [/alias/, 'bidder-21c66460'],
  [/invoice_number/, 'INV-2026-00001'],
  [/statement_number/, 'SET-2026-00001'],
  [/reason/, 'Requested by telephone'],
  [/^id$|_id$/, '0c6f5f2a'],
];

/** What is true of few things. */
const USUALLY_FALSE = new Set([
  'stale',
  'extended',
  'is_mine',
  'sponsored',
  'is_overdue',
  'is_disputed',
  'cancel_at_period_end',
]);

/** Texts that fit one of the API's patterns; the first that fits is taken. */
const BY_PATTERN: readonly string[] = [
  'spring-land',
  '1250.00',
  'usd',
  '10.00',
  MOMENT,
  '2026-07-12',
  'US',
  '123',
  '-98.5,38.1,-96.2,39.4',
  'evt_17',
  'INV-2026-00001',
  '40 acres near Emporia',
];

/** A value that fits the schema; `name` is the field's. */
export function exampleOf(reference: Json, name: string, options: ExampleOptions, depth = 0): unknown {
  const schema = options.resolved(reference);
  const [first] = listOf(schema['examples']);
  if (first !== undefined) return first;
  if ('example' in schema) return schema['example'];
  if ('const' in schema) return schema['const'];
  const words = listOf(schema['enum']);
  if (words.length > 0) return words[0];
  const branches = [...objectsIn(schema['anyOf']), ...objectsIn(schema['oneOf'])];
  if (branches.length > 0) return exampleOf(fullest(branches, depth), name, options, depth);
  const all = objectsIn(schema['allOf']);
  if (all.length > 0) return Object.assign({}, ...all.map((part) => exampleOf(part, name, options, depth)));
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, options, depth);
    case 'array':
      return itemsOf(schema, name, options, depth);
    case 'string':
      return textFor(schema, name);
    case 'integer':
    case 'number':
      return numberFor(schema, name);
    case 'boolean':
      return schema['default'] ?? !USUALLY_FALSE.has(name);
    default:
      return null;
  }
}

/** Null only where everything else would go too deep. */
function fullest(branches: readonly Json[], depth: number): Json {
  const isNull = (branch: Json) => branch['type'] === 'null';
  const wanted = branches.find((branch) => isNull(branch) === depth > DEEPEST);
  return wanted ?? branches[0] ?? {};
}

function typeOf(schema: Json): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  const [first = ''] = listOf(type).filter((one) => one !== 'null');
  if (first !== '') return String(first);
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : '';
}

function objectOf(schema: Json, options: ExampleOptions, depth: number): Json {
  const properties = objectIn(schema['properties'] ?? {});
  const required = listOf(schema['required']).map(String);
  const names = Object.keys(properties);
  const optional = names.filter((name) => !required.includes(name));
  const shown = optional.slice(0, Math.max(0, MIN_SHOWN - required.length));
  const wanted = options.whole && depth <= DEEPEST ? names : [...required, ...shown];
  return Object.fromEntries(
    wanted.map((name) => [name, exampleOf(objectIn(properties[name]), name, options, depth + 1)]),
  );
}

function itemsOf(schema: Json, name: string, options: ExampleOptions, depth: number): unknown[] {
  const min = Number(schema['minItems'] ?? 0);
  // Lists of lists of themselves, such as categories, end somewhere.
  if (depth > DEEPEST && min === 0) return [];
  const item = exampleOf(objectIn(schema['items'] ?? {}), name.replace(/s$/, ''), options, depth + 1);
  return Array.from({ length: Math.max(1, min) }, () => item);
}

function textFor(schema: Json, name: string): string {
  if (schema['format'] === 'date-time') return MOMENT;
  const named = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  const candidates = [...(named === undefined ? [] : [named]), ...BY_PATTERN, name];
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern'], 'u') : null;
  const min = Number(schema['minLength'] ?? 0);
  const max = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  const fits = (text: string) =>
    (pattern === null || pattern.test(text)) && text.length >= min && text.length <= max;
  if (pattern === null && named === undefined)
    return name.replaceAll('_', ' ').slice(0, max).padEnd(min, '.');
  return candidates.find(fits) ?? 'text'.slice(0, max).padEnd(min, '.');
}

function numberFor(schema: Json, name: string): number {
  const usual = name.endsWith('_cents')
    ? 125_000
    : /(^|_)id$/.test(name)
      ? 123
      : /year/.test(name)
        ? 2026
        : 1;
  const min = Number(schema['minimum'] ?? Number.NEGATIVE_INFINITY);
  const max = Number(schema['maximum'] ?? Number.POSITIVE_INFINITY);
  const chosen = typeof schema['default'] === 'number' ? schema['default'] : usual;
  return Math.min(max, Math.max(min, chosen));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
