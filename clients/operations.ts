/** The operations of the API's description, as both clients need them. */
import type { Operation } from './typescript/core.ts';

/** A JSON Schema or a part of one. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface NamedOperation extends Operation {
  readonly name: string;
  readonly summary: string;
  readonly description: string | null;
  /** Of its path and query, as they are named in both clients. */
  readonly parameters: readonly Parameter[];
  readonly bodySchema: Schema | null;
  readonly bodyRequired: boolean;
  /** Null where it answers no JSON, or nothing. */
  readonly answerSchema: Schema | null;
  readonly isStream: boolean;
  /** It has pages. */
  readonly isList: boolean;
}

export interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly headers?: object }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** Throws where two parameters of an operation have one name, or one is called `body`. */
export function operationsOf(description: Description): NamedOperation[] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => operationOf(path, method, described)),
  );
}

function operationOf(path: string, method: string, described: Described): NamedOperation {
  const headers = new Set(
    described.parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()),
  );
  const parameters = described.parameters.filter((one) => one.in !== 'header');
  const names = [...parameters.map(({ name }) => name), 'body'];
  if (new Set(names).size !== names.length)
    throw new TypeError(`${described.operationId} has two parameters of one name`);
  const sent = described.requestBody?.content ?? {};
  const json = jsonOf(sent);
  const answer = answerOf(described);
  return {
    name: described.operationId,
    summary: described.summary,
    description: described.description ?? null,
    method: method.toUpperCase(),
    path,
    parameters,
    query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    body: described.requestBody === undefined ? null : json === null ? 'form' : 'json',
    bodySchema: json,
    bodyRequired: described.requestBody?.required ?? false,
    answer: answer.isRaw ? 'raw' : 'json',
    answerSchema: answer.schema,
    keyed: headers.has('idempotency-key'),
    ofTeam: headers.has('x-team-id'),
    isStream: answer.isStream,
    isList: parameters.some(({ name }) => name === 'page'),
  };
}

function answerOf({ responses }: Described): { isRaw: boolean; isStream: boolean; schema: Schema | null } {
  const contents = Object.entries(responses)
    .filter(([status]) => /^20[0-26]$/.test(status))
    .flatMap(([, { content }]) => (content === undefined ? [] : [content]));
  const types = contents.flatMap((content) => Object.keys(content));
  return {
    isRaw: types.some((type) => !/json/.test(type)),
    isStream: types.includes('text/event-stream'),
    schema: contents.map(jsonOf).find((schema) => schema !== null) ?? null,
  };
}

function jsonOf(content: Content): Schema | null {
  return Object.entries(content).find(([type]) => /json/.test(type))?.[1].schema ?? null;
}
