/** Fields of a schema that may name something, at any depth, and bodies with a value in one of them. */
import type { TSchema } from '@sinclair/typebox';
import { isObject } from '../../engine/objects.ts';

/** Where in a body something is named; items of a list are `0`. */
export type FieldPath = readonly string[];

/** Ids, numbers, slugs and codes of things; not those of the caller's own making. */
const THINGS = 'ids?|lots?|auctions?|team|user|seller|buyer|media|invoices?|items?|registration|bid|campaign';
const NAMES = new RegExp(
  `(^|_)(${THINGS}|question|group|preset)$|^(invoice_numbers?|numbers?|code|search|q|query|slug)$`,
);

/** The fields of a schema that name something. */
export function namingFields(schema: TSchema, path: FieldPath = []): FieldPath[] {
  const { items, properties, variants } = partsOf(schema);
  if (items !== undefined) return namingFields(items, [...path, '0']);
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, one]) => namingFields(one, [...path, name]));
  if (variants !== undefined) return unique(variants.flatMap((one) => namingFields(one, path)));
  const name = path.findLast((part) => part !== '0') ?? '';
  return NAMES.test(name) ? [path] : [];
}

const unique = (paths: readonly FieldPath[]): FieldPath[] => [
  ...new Map(paths.map((path) => [path.join('.'), path])).values(),
];

/** A value that the schema takes, as small as may be. */
export function sampleOf(schema: TSchema): unknown {
  if ('const' in schema) return schema['const'];
  const [example] = (schema['examples'] as unknown[] | undefined) ?? [];
  if (example !== undefined) return example;
  if ('default' in schema) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const { items, properties, variants } = partsOf(schema);
  if (properties !== undefined) {
    const required = (schema['required'] as string[] | undefined) ?? [];
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] as TSchema)]));
  }
  if (items !== undefined) return (schema['minItems'] ?? 0) > 0 ? [sampleOf(items)] : [];
  if (variants !== undefined) return sampleOf(variants[0] as TSchema);
  return simpleSample(schema);
}

function simpleSample(schema: TSchema): unknown {
  const type = [schema['type']].flat()[0];
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? schema['exclusiveMinimum'] ?? 1;
  if (type === 'boolean') return false;
  if (schema['format'] === 'date-time') return new Date(Date.now() + 86_400_000).toISOString();
  if (schema['format'] === 'date') return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  if (schema['format'] === 'email') return 'somebody@example.com';
  if (schema['format'] === 'uri') return 'https://example.com/';
  const pattern = new RegExp(String(schema['pattern'] ?? ''), 'u');
  const tried = [
    'x',
    '10.00',
    '1',
    'usd',
    '+12025550123',
    'a'.repeat(8),
    '2030-01-01T10:00:00Z',
    'a'.repeat(43),
  ];
  return tried.find((one) => pattern.test(one) && one.length >= (schema['minLength'] ?? 0)) ?? 'x'.repeat(12);
}

/** The body with the value in the field; what is missing on the way to it is made. */
export function withValue(schema: TSchema, body: unknown, path: FieldPath, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const { items, properties, variants } = partsOf(schema);
  if (items !== undefined) {
    const list: unknown[] = Array.isArray(body) && body.length > 0 ? [...body] : [sampleOf(items)];
    list[0] = withValue(items, list[0], rest, value);
    return list;
  }
  if (properties !== undefined) {
    const present = isObject(body) ? body : (sampleOf(schema) as Record<string, unknown>);
    const inner = properties[first];
    return inner === undefined
      ? present
      : { ...present, [first]: withValue(inner, present[first], rest, value) };
  }
  const fitting = variants?.find((one) => namingFields(one).some((found) => found.join() === path.join()));
  return fitting === undefined ? value : withValue(fitting, body, path, value);
}

interface Parts {
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly variants?: readonly TSchema[];
}

function partsOf(schema: TSchema): Parts {
  if ('properties' in schema) return { properties: schema['properties'] };
  if ('items' in schema) return { items: schema['items'] };
  const variants = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'];
  return variants === undefined
    ? {}
    : { variants: variants.filter((one: TSchema) => one['type'] !== 'null') };
}
