/** Prints the API's objects as a stub for Python's type checkers: `types.pyi`, a `TypedDict` for each. */
import type { Schema } from './operations.ts';

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

export const isKeyword = (name: string): boolean => KEYWORDS.has(name);

export function camelCase(name: string): string {
  return name.replaceAll(/(?:^|[_\W])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

export class PythonTypes {
  readonly #classes = new Map<string, string>();

  constructor(schemas: Readonly<Record<string, Schema>>) {
    for (const [name, schema] of Object.entries(schemas)) {
      const type = this.#typeOf(name, schema, '');
      if (type !== name) this.#classes.set(name, `${name} = ${type}`);
    }
  }

  /** The type of a schema; objects in it become classes that begin with `name`. */
  named(name: string, schema: Schema, prefix: 'types.' | ''): string {
    return this.#typeOf(name, schema, prefix);
  }

  /** The whole stub. */
  print(): string {
    return `"""Made from the API's description by \`npm run clients\`: for type checkers; nothing of it is there at run time."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

from typing_extensions import NotRequired

class LotEvent(TypedDict):
    id: Union[str, None]
    event: Literal["lot.snapshot", "bid.placed", "lot.extended", "lot.closed", "lot.fair_warning"]
    data: dict[str, Any]

${[...this.#classes.values()].join('\n\n')}
`;
  }

  #typeOf(name: string, schema: Schema, prefix: string): string {
    const { $ref, anyOf, type } = schema;
    if ($ref !== undefined) return `${prefix}${$ref.split('/').at(-1)}`;
    if (schema.const !== undefined) return `Literal[${literalOf(schema.const)}]`;
    if (anyOf !== undefined)
      return unionOf(anyOf.map((one, at) => this.#typeOf(`${name}${at + 1}`, one, prefix)));
    if (typeof type === 'object')
      return unionOf(type.map((one) => this.#typeOf(name, { ...schema, type: one }, prefix)));
    if (type === 'array') return `list[${this.#typeOf(`${name}Item`, schema.items ?? {}, prefix)}]`;
    if (type === 'object') return this.#objectOf(name, schema, prefix);
    return SIMPLE[type ?? ''] ?? 'Any';
  }

  #objectOf(name: string, schema: Schema, prefix: string): string {
    const fields = Object.entries(schema.properties ?? {});
    const open = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
    if (fields.length === 0)
      return `dict[str, ${typeof open === 'object' ? this.#typeOf(`${name}Value`, open, prefix) : 'Any'}]`;
    const required = new Set(schema.required);
    const typed = fields.map(([field, one]): [string, string] => {
      const type = this.#typeOf(`${name}${camelCase(field)}`, one, '');
      return [field, required.has(field) ? type : `NotRequired[${type}]`];
    });
    this.#classes.set(name, classOf(name, typed));
    return `${prefix}${name}`;
  }
}

function classOf(name: string, fields: readonly (readonly [string, string])[]): string {
  if (fields.every(([field]) => /^[A-Za-z_]\w*$/.test(field) && !isKeyword(field)))
    return `class ${name}(TypedDict):\n${fields.map(([field, type]) => `    ${field}: ${type}`).join('\n')}`;
  const items = fields.map(([field, type]) => `    ${JSON.stringify(field)}: ${JSON.stringify(type)},`);
  return `${name} = TypedDict(${JSON.stringify(name)}, {\n${items.join('\n')}\n})`;
}

function literalOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}

/** Each once. */
function unionOf(types: readonly string[]): string {
  const different = [...new Set(types)];
  const literals = different.filter((type) => type.startsWith('Literal['));
  const others = different.filter((type) => !type.startsWith('Literal['));
  if (literals.length > 0) others.unshift(`Literal[${literals.map((type) => type.slice(8, -1)).join(', ')}]`);
  return others.length === 1 ? (others[0] ?? 'Any') : `Union[${others.join(', ')}]`;
}
