/**
 * Turns the OpenAPI document into what the reference page shows: operations by tag, with their parameters, body
 * fields and answers as rows. Made once from the same document that is served to programs, so the two cannot differ.
 */

import type { Json } from './example-values.ts';
import { exampleOfOperation, type OperationExample } from './operation-examples.ts';

export interface FieldRow {
  /** Fields of fields are dotted; `[]` is an item of a list. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export interface AnswerRow {
  readonly status: string;
  readonly description: string;
  readonly fields: readonly FieldRow[];
}

export interface OperationView {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly access: string;
  readonly parameters: readonly (FieldRow & { readonly place: string })[];
  readonly body: readonly FieldRow[];
  readonly answers: readonly AnswerRow[];
  readonly example: OperationExample;
}

export interface ReferenceView {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly groups: readonly { name: string; description: string; operations: OperationView[] }[];
}

const DEEPEST = 4;

/** The document as the page shows it. */
export function referenceOf(document: object): ReferenceView {
  const root = document as Json;
  const info = root['info'] as Record<string, string>;
  const tags = root['tags'] as { name: string; description?: string }[];
  const groups = tags.map(({ name, description }) => ({
    name,
    description: description ?? '',
    operations: [] as OperationView[],
  }));
  for (const [path, item] of Object.entries(root['paths'] as Json)) {
    for (const [method, operation] of Object.entries(item as Json)) {
      const view = new OperationReader(root).view(method, path, operation as Json);
      const tag = (operation as { tags: string[] }).tags[0];
      groups.find(({ name }) => name === tag)?.operations.push(view);
    }
  }
  return {
    title: info['title'] ?? '',
    version: info['version'] ?? '',
    description: info['description'] ?? '',
    groups: groups.filter(({ operations }) => operations.length > 0),
  };
}

/** The operations whose answers name this code, in the document's order. */
export function operationsByCode(document: object, code: string): { id: string; summary: string }[] {
  const found: { id: string; summary: string }[] = [];
  for (const item of Object.values((document as Json)['paths'] as Json)) {
    for (const operation of Object.values(item as Json) as Json[]) {
      const answers = Object.values(operation['responses'] as Json) as Json[];
      if (answers.some((answer) => text(answer['description']).includes(`\`${code}\``)))
        found.push({ id: text(operation['operationId']), summary: text(operation['summary']) });
    }
  }
  return found;
}

/** What a search looks through. */
export function searchedText(view: OperationView): string {
  const { id, method, path, summary, description, parameters, body } = view;
  const names = [...parameters, ...body].map(({ name }) => name);
  return [id, method, path, summary, description, ...names].join(' ').toLowerCase();
}

class OperationReader {
  readonly #root: Json;

  constructor(root: Json) {
    this.#root = root;
  }

  view(method: string, path: string, operation: Json): OperationView {
    const parameters = (operation['parameters'] ?? []) as Json[];
    const body = operation['requestBody'] as { content: Record<string, { schema: Json }> } | undefined;
    return {
      id: text(operation['operationId']),
      method: method.toUpperCase(),
      path,
      summary: text(operation['summary']),
      description: text(operation['description']),
      access: accessOf(operation),
      parameters: parameters.map((parameter) => ({
        place: text(parameter['in']),
        name: text(parameter['name']),
        required: parameter['required'] === true,
        description: text(parameter['description']),
        type: this.#typeOf(parameter['schema'] as Json),
      })),
      body: this.#fields(Object.values(body?.content ?? {})[0]?.schema),
      answers: Object.entries(operation['responses'] as Json).map(([status, answer]) => {
        const { description, content } = answer as {
          description: string;
          content?: Record<string, { schema: Json }>;
        };
        const isFailure = Number(status) >= 400;
        const schema = Object.values(content ?? {})[0]?.schema;
        return { status, description, fields: isFailure ? [] : this.#fields(schema) };
      }),
      example: exampleOfOperation({ method, path, operation, resolved: (schema) => this.#resolved(schema) }),
    };
  }

  #fields(schema: Json | undefined): FieldRow[] {
    const rows: FieldRow[] = [];
    if (schema !== undefined) this.#collect(schema, '', rows, 0);
    return rows;
  }

  #collect(given: Json, prefix: string, rows: FieldRow[], depth: number): void {
    const schema = this.#resolved(given);
    if (schema['type'] === 'array') {
      this.#collect((schema['items'] ?? {}) as Json, `${prefix}[]`, rows, depth);
      return;
    }
    const required = (schema['required'] ?? []) as string[];
    for (const [key, value] of Object.entries((schema['properties'] ?? {}) as Json)) {
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const inner = value as Json;
      rows.push({
        name,
        type: this.#typeOf(inner),
        required: required.includes(key),
        description: text(inner['description']),
      });
      if (depth < DEEPEST) this.#collect(inner, name, rows, depth + 1);
    }
  }

  #typeOf(given: Json): string {
    const schema = this.#resolved(given);
    const { type, format } = schema;
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(schema['enum']))
      return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
    const branches = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
    if (branches !== undefined) return branches.map((branch) => this.#typeOf(branch)).join(' | ');
    if (type === 'array') return `${this.#typeOf((schema['items'] ?? {}) as Json)}[]`;
    const plain = Array.isArray(type) ? type.join(' | ') : text(type);
    return format === undefined ? plain || 'any' : `${plain} (${text(format)})`;
  }

  #resolved(schema: Json): Json {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    const parts = reference.replace(/^#\//, '').split('/');
    return parts.reduce<unknown>((value, part) => (value as Json)[part], this.#root) as Json;
  }
}

function accessOf(operation: Json): string {
  const schemes = (operation['security'] ?? []) as Json[];
  if (schemes.some((scheme) => Object.keys(scheme).length === 0)) return 'public';
  const roles = schemes.flatMap((scheme) => (Array.isArray(scheme['bearer']) ? scheme['bearer'] : []));
  const token = roles.length === 0 ? 'token' : `token with ${roles.join(', ')}`;
  return schemes.some((scheme) => 'session' in scheme) ? `${token}, or session` : token;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
