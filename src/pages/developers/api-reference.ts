/**
 * Turns the OpenAPI document into what the reference page shows: operations by tag, with their parameters, body
 * fields and answers as rows. Made once from the same document that is served to programs, so the two cannot differ.
 */

import { objectIn, objectsIn } from '../../../engine/objects.ts';
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
  readonly parameters: readonly (FieldRow & { readonly location: string })[];
  readonly body: readonly FieldRow[];
  readonly answers: readonly AnswerRow[];
  readonly example: OperationExample;
}

export interface ReferenceView {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly groups: readonly Group[];
}

const DEEPEST = 4;

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: OperationView[];
}

function operationsIn(root: Json) {
  return Object.entries(objectIn(root['paths'])).flatMap(([path, item]) =>
    Object.entries(objectIn(item)).map(([method, operation]) => ({
      path,
      method,
      operation: objectIn(operation),
    })),
  );
}

/** The document as the page shows it. */
export function referenceOf(document: object): ReferenceView {
  const root = objectIn(document);
  const info = objectIn(root['info']);
  const groups: Group[] = objectsIn(root['tags']).map((tag) => ({
    name: text(tag['name']),
    description: text(tag['description']),
    operations: [],
  }));
  for (const { path, method, operation } of operationsIn(root)) {
    const view = new OperationReader(root).view(method, path, operation);
    const tags: readonly unknown[] = Array.isArray(operation['tags']) ? operation['tags'] : [];
    groups.find(({ name }) => name === tags[0])?.operations.push(view);
  }
  return {
    title: text(info['title']),
    version: text(info['version']),
    description: text(info['description']),
    groups: groups.filter(({ operations }) => operations.length > 0),
  };
}

/** The operations whose answers name this code, in the document's order. */
export function operationsByCode(document: object, code: string): { id: string; summary: string }[] {
  return operationsIn(objectIn(document)).flatMap(({ operation }) => {
    const answers = Object.values(objectIn(operation['responses'])).map(objectIn);
    const names = answers.some((answer) => text(answer['description']).includes(`\`${code}\``));
    return names ? [{ id: text(operation['operationId']), summary: text(operation['summary']) }] : [];
  });
}

/** What a search covers. */
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
    const parameters = objectsIn(operation['parameters']);
    return {
      id: text(operation['operationId']),
      method: method.toUpperCase(),
      path,
      summary: text(operation['summary']),
      description: text(operation['description']),
      access: accessOf(operation),
      parameters: parameters.map((parameter) => ({
        location: text(parameter['in']),
        name: text(parameter['name']),
        required: parameter['required'] === true,
        description: text(parameter['description']),
        type: this.#typeOf(objectIn(parameter['schema'])),
      })),
      body: this.#fields(objectIn(operation['requestBody'])),
      answers: Object.entries(objectIn(operation['responses'])).map(([status, reference]) => {
        const answer = objectIn(reference);
        const fields = Number(status) >= 400 ? [] : this.#fields(answer);
        return { status, description: text(answer['description']), fields };
      }),
      example: exampleOfOperation({ method, path, operation, resolved: (schema) => this.#resolved(schema) }),
    };
  }

  /** What a body or an answer holds, in the first type that it has. */
  #fields({ content }: Json): FieldRow[] {
    const [first] = Object.values(objectIn(content));
    const rows: FieldRow[] = [];
    if (first !== undefined) this.#collect(objectIn(objectIn(first)['schema']), '', rows, 0);
    return rows;
  }

  #collect(reference: Json, prefix: string, rows: FieldRow[], depth: number): void {
    const schema = this.#resolved(reference);
    if (schema['type'] === 'array') {
      this.#collect(objectIn(schema['items']), `${prefix}[]`, rows, depth);
      return;
    }
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    for (const [key, value] of Object.entries(objectIn(schema['properties']))) {
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const inner = objectIn(value);
      rows.push({
        name,
        type: this.#typeOf(inner),
        required: required.includes(key),
        description: text(inner['description']),
      });
      if (depth < DEEPEST) this.#collect(inner, name, rows, depth + 1);
    }
  }

  #typeOf(reference: Json): string {
    const schema = this.#resolved(reference);
    const { type, format } = schema;
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(schema['enum']))
      return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
    const branches = objectsIn(schema['anyOf'] ?? schema['oneOf']);
    if (branches.length > 0) return branches.map((branch) => this.#typeOf(branch)).join(' | ');
    if (type === 'array') return `${this.#typeOf(objectIn(schema['items']))}[]`;
    const plain = Array.isArray(type) ? type.join(' | ') : text(type);
    return format === undefined ? plain || 'any' : `${plain} (${text(format)})`;
  }

  #resolved(schema: Json): Json {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    const parts = reference.replace(/^#\//, '').split('/');
    return parts.reduce<Json>((value, part) => objectIn(value[part]), this.#root);
  }
}

function accessOf(operation: Json): string {
  const schemes = objectsIn(operation['security']);
  if (schemes.some((scheme) => Object.keys(scheme).length === 0)) return 'public';
  const roles = schemes.flatMap((scheme) => (Array.isArray(scheme['bearer']) ? scheme['bearer'] : []));
  const token = roles.length === 0 ? 'token' : `token with ${roles.join(', ')}`;
  return schemes.some((scheme) => 'session' in scheme) ? `${token}, or session` : token;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
