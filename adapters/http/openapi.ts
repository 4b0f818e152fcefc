/**
 * Writes the OpenAPI 3.1 document from the list of endpoints: paths, parameters, bodies, every answer and refusal,
 * headers and security schemes. Schemas with an `$id` become components. `mount.ts` serves it; nothing is written by
 * hand twice.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import { objectIn } from '../../engine/objects.ts';
import { type BodySchema, type Endpoint, isIdentified } from './endpoint.ts';
import { errorResponses, successHeaders } from './openapi-answers.ts';
import { Components } from './openapi-components.ts';
import { type ErrorTable, HTTP_ERRORS } from './problem.ts';
import { isForm, isMultipart, strictly } from './validate.ts';

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: { readonly name: string; readonly identifier?: string };
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  /** In the order in which a reader should meet them. */
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
}

type Json = Record<string, unknown>;

/** The document as a value. Throws on two operations of one name, and on a code that `table` does not have. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  info: OpenApiInfo,
  table: ErrorTable = HTTP_ERRORS,
): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  const names = new Set<string>();
  for (const endpoint of endpoints) {
    if (endpoint.undocumented === true) continue;
    if (names.has(endpoint.operationId)) throw new TypeError(`two operations named ${endpoint.operationId}`);
    names.add(endpoint.operationId);
    const item = paths[endpoint.path] ?? {};
    item[endpoint.method.toLowerCase()] = operation(endpoint, components, table);
    paths[endpoint.path] = item;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: info.description,
      license: info.license ?? { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: info.servers ?? [{ url: '/' }],
    tags: tagsOf(endpoints, info),
    paths,
    components: {
      schemas: components.schemas(),
      headers: components.headers(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token from `/account/developer/tokens`, with the abilities that were chosen for it.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'rostrum.sid',
    description: 'A browser session. Requests that change data must send its CSRF token as `X-CSRF-Token`.',
  },
} as const;

function tagsOf(endpoints: readonly Endpoint[], info: OpenApiInfo): Json[] {
  const known = new Map<string, Json>((info.tags ?? []).map((tag) => [tag.name, { ...tag }]));
  for (const endpoint of endpoints) {
    if (endpoint.undocumented === true) continue;
    for (const name of endpoint.tags) if (!known.has(name)) known.set(name, { name });
  }
  return [...known.values()];
}

function operation(endpoint: Endpoint, components: Components, table: ErrorTable): Json {
  const { body } = endpoint;
  const responses: Json = {};
  for (const [status, answer] of Object.entries(endpoint.responses)) {
    responses[status] = answerOf(endpoint, answer, components);
  }
  for (const [status, answer] of errorResponses(endpoint, components, table)) responses[status] ??= answer;
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: endpoint.tags,
    security: securityOf(endpoint),
    parameters: parametersOf(endpoint, components),
    requestBody:
      body === undefined ? undefined : requestBody(body, endpoint.bodyOptional !== true, components),
    responses,
  };
}

function answerOf(endpoint: Endpoint, answer: Endpoint['responses'][number], components: Components): Json {
  const { schema, contentType, example, description } = answer;
  const own = Object.entries(answer.headers ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  const result: Json = {
    description,
    headers: { ...successHeaders(endpoint, components), ...Object.fromEntries(own) },
  };
  if (schema !== undefined || contentType !== undefined) {
    const media: Json = { schema: schema === undefined ? {} : components.reference(schema) };
    if (example !== undefined) media['example'] = example;
    const types = typeof contentType === 'string' ? [contentType] : (contentType ?? ['application/json']);
    result['content'] = Object.fromEntries(types.map((type) => [type, media]));
  }
  return result;
}

/**
 * A scheme's list names what the token has to be able to: OpenAPI 3.1 has it mean roles where the scheme is no OAuth.
 */
function securityOf(endpoint: Endpoint): Json[] {
  if (!isIdentified(endpoint)) return [{}];
  const { access } = endpoint;
  const schemes: Json[] = [{ bearer: access.kind === 'ability' ? [access.ability] : [] }];
  if (access.session) schemes.push({ session: [] });
  if (access.kind === 'public') schemes.unshift({});
  return schemes;
}

function parametersOf(endpoint: Endpoint, components: Components): Json[] {
  return [
    ...named('path', endpoint.params, components),
    ...undeclared(endpoint),
    ...named('query', endpoint.query, components),
    ...named('header', endpoint.headers, components),
  ];
}

function named(
  location: 'path' | 'query' | 'header',
  schema: TObject | undefined,
  components: Components,
): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property;
    const parameter: Json = {
      name: location === 'header' ? canonical(name) : name,
      in: location,
      required: location === 'path' || isRequired(schema, name, property),
      description,
      schema: components.inline(rest),
    };
    return parameter;
  });
}

/** Path parameters without their own schema are plain text. */
function undeclared(endpoint: Endpoint): Json[] {
  const names = [...endpoint.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  return names
    .filter((name) => endpoint.params?.properties[name] === undefined)
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function isRequired(schema: TObject | undefined, name: string, property: TSchema): boolean {
  return (schema?.required ?? []).includes(name) && property.default === undefined;
}

function canonical(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function requestBody(body: BodySchema, required: boolean, components: Components): Json {
  if (isMultipart(body)) {
    const { fields, files } = body.multipart;
    const properties: Json = { ...objectIn(components.inline(fields)['properties']) };
    for (const [name, file] of Object.entries(files)) {
      properties[name] = { type: 'string', format: 'binary', description: file.description };
    }
    const schema = {
      type: 'object',
      properties,
      required: [...(fields.required ?? []), ...Object.keys(files)],
    };
    return { required, content: { 'multipart/form-data': { schema } } };
  }
  if (isForm(body)) {
    return {
      required,
      content: { 'application/x-www-form-urlencoded': { schema: components.inline(body.form) } },
    };
  }
  return { required, content: { 'application/json': { schema: components.inline(strictly(body)) } } };
}
