/**
 * Collects the schemas and headers that the OpenAPI document shares. A schema with an `$id` is serialized once under
 * that name and referred to everywhere else; two different schemas with one name are an error that is found here.
 */
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from '@sinclair/typebox';
import { isObject, objectIn } from '../../engine/objects.ts';

type Json = Readonly<Record<string, unknown>>;

export class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #headers = new Map<string, Json>();

  /** `{$ref}` for a named schema, the schema itself otherwise. */
  reference(schema: TSchema): Json {
    return this.#referred(schema);
  }

  /** The schema itself, whatever its name; named ones inside are referred to. */
  inline(schema: TSchema): Json {
    return this.#copy(schema, null);
  }

  header(name: string, description: string, type: 'string' | 'integer' = 'string'): Json {
    const key = name.toLowerCase();
    this.#headers.set(key, { description, schema: { type } });
    return { $ref: `#/components/headers/${key}` };
  }

  schemas(): Json {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  headers(): Json {
    return Object.fromEntries(this.#headers);
  }

  #serialize(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.#serialize(inner));
    return isObject(value) ? this.#referred(value) : value;
  }

  #referred(schema: Json): Json {
    const name = schema['$id'];
    if (typeof name !== 'string') return this.#copy(schema, null);
    const known = this.#schemas.get(name);
    // A recursive schema names itself inside: the name is taken before its inside is serialized.
    if (known === undefined) this.#schemas.set(name, {});
    const serialized = this.#copy(schema, name);
    if (known !== undefined && Object.keys(known).length > 0 && !isDeepStrictEqual(known, serialized)) {
      throw new TypeError(`two different schemas named ${name}`);
    }
    this.#schemas.set(name, serialized);
    return { $ref: `#/components/schemas/${name}` };
  }

  #copy(schema: Json, name: string | null): Json {
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$id' || key.startsWith('x-')) continue;
      if (key === '$ref' && typeof value === 'string' && !value.startsWith('#')) {
        copy[key] = `#/components/schemas/${value}`;
      } else if (key === 'properties') copy[key] = this.#properties(objectIn(value));
      else if (LITERAL.has(key)) copy[key] = value;
      else copy[key] = this.#serialize(value);
    }
    if (name !== null) delete copy['$id'];
    withoutDefaultedRequired(copy);
    return copy;
  }

  /** Names of properties are names, even one called `$id`. */
  #properties(properties: Json): Json {
    return Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, this.#serialize(inner)]),
    );
  }
}

const LITERAL: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'example', 'examples', 'required']);

/** A field with a default may be left out by the caller. */
function withoutDefaultedRequired(schema: Record<string, unknown>): void {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return;
  const left = required.filter((name: string) => objectIn(properties[name])['default'] === undefined);
  if (left.length === 0) delete schema['required'];
  else schema['required'] = left;
}
