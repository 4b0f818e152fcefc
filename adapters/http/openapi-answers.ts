/**
 * The answers that follow from an endpoint's access, parameters, body and rate limit, for the OpenAPI document: every
 * refusal of the table with its codes, the failure envelope, and the headers that all answers carry.
 */
import { Type } from '@sinclair/typebox';
import { missingAbility } from './authenticate.ts';
import { type Endpoint, isIdentified, needsActiveAccount, needsConfirmedAccount } from './endpoint.ts';
import type { Components } from './openapi-components.ts';
import { type ErrorTable, UNAVAILABLE_MESSAGE } from './problem.ts';
import { isForm, isMultipart } from './validate.ts';

type Json = Record<string, unknown>;

/** The failure envelope. */
export const ErrorEnvelope = Type.Object(
  {
    success: Type.Literal(false),
    message: Type.String({ description: 'A message for people.' }),
    code: Type.Optional(Type.String({ description: 'For programs; absent if the status says everything.' })),
    data: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Details that help to correct the request.' },
      ),
    ),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Validation only: messages by field; dots separate the names of nested fields.',
      }),
    ),
  },
  { $id: 'Error' },
);

/** Headers of every answer of this endpoint. */
export function successHeaders(endpoint: Endpoint, components: Components): Json {
  const headers: Json = {
    'X-Request-Id': components.header('X-Request-Id', 'Identifies the request in the logs.'),
  };
  if (isCounted(endpoint)) {
    const limit = 'requests per minute; absent when the limit is off.';
    headers['X-RateLimit-Limit'] = components.header('X-RateLimit-Limit', `Allowed ${limit}`, 'integer');
    headers['X-RateLimit-Remaining'] = components.header('X-RateLimit-Remaining', `Left ${limit}`, 'integer');
    headers['X-RateLimit-Reset'] = components.header(
      'X-RateLimit-Reset',
      'Unix time in seconds at which the window ends.',
      'integer',
    );
  }
  return headers;
}

/** Status → answer, for every refusal this endpoint can give. Throws on a code that is not in the table. */
export function errorResponses(
  endpoint: Endpoint,
  components: Components,
  table: ErrorTable,
): [string, Json][] {
  const byStatus = new Map<number, string[]>();
  for (const code of codesOf(endpoint, table)) {
    const entry = table[code];
    if (entry === undefined) throw new Error(`${endpoint.operationId}: the code ${code} has no status`);
    const { status } = entry;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  if ((endpoint.notFound ?? endpoint.path.includes('{')) && !byStatus.has(404)) byStatus.set(404, []);
  if (readsStores(endpoint) && !byStatus.has(503)) byStatus.set(503, []);
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [String(status), errorAnswer(endpoint, status, codes, components, table)]);
}

const takesBody = ({ method }: Endpoint) => method !== 'GET';
const takesFiles = ({ body }: Endpoint) => body !== undefined && isMultipart(body);
const takesForm = ({ body }: Endpoint) => body !== undefined && isForm(body);

/** The codes that follow from an endpoint's shape, in the order in which they are documented. */
const IMPLIED_CODES: readonly (readonly [code: string, follows: (endpoint: Endpoint) => boolean])[] = [
  ['unauthenticated', isIdentified],
  ['rate_limited', isCounted],
  ['missing_ability', ({ access }) => access.kind === 'ability'],
  ['account_suspended', needsActiveAccount],
  ['email_unconfirmed', needsConfirmedAccount],
  ['csrf_failed', (endpoint) => endpoint.access.session === true && takesBody(endpoint)],
  ['payload_too_large', takesBody],
  ['unsupported_media_type', takesBody],
  ['malformed_json', (endpoint) => takesBody(endpoint) && !takesFiles(endpoint) && !takesForm(endpoint)],
  ['malformed_form', (endpoint) => takesBody(endpoint) && takesFiles(endpoint)],
  ['file_too_large', (endpoint) => takesBody(endpoint) && takesFiles(endpoint)],
  ['validation_failed', () => true],
];

/** All codes, the declared ones and those that follow from the endpoint's shape and the table, without doubles. */
export function codesOf(endpoint: Endpoint, table: ErrorTable): string[] {
  const implied = IMPLIED_CODES.filter(([, follows]) => follows(endpoint)).map(([code]) => code);
  const ofChanges = Object.keys(table).filter(
    (code) => table[code]?.isOfChanges && endpoint.method !== 'GET',
  );
  return [...new Set([...implied, ...(endpoint.codes ?? []), ...ofChanges])];
}

function isCounted(endpoint: Endpoint): boolean {
  return endpoint.rateLimit !== false && endpoint.path.startsWith('/api/');
}

/** Probes report a part that is unavailable in their own form. */
function readsStores({ path }: Endpoint): boolean {
  return !/^\/(healthz|readyz|metrics|docs\/api\/openapi\.json)$/.test(path);
}

function errorAnswer(
  endpoint: Endpoint,
  status: number,
  codes: readonly string[],
  components: Components,
  table: ErrorTable,
): Json {
  const headers = successHeaders(endpoint, components);
  if (status === 429 || status === 503) {
    headers['Retry-After'] = components.header(
      'Retry-After',
      'Seconds to wait before trying again.',
      'integer',
    );
  }
  const list = codes.map((code) => `- \`${code}\`: ${table[code]?.message}`).join('\n');
  return {
    description: codes.length === 0 ? UNCODED[status] : list,
    headers,
    content: {
      'application/json': {
        schema: components.reference(ErrorEnvelope),
        ...exampleOf(endpoint, status, codes, table),
      },
    },
  };
}

/** What answers without a code mean. */
const UNCODED: Readonly<Record<number, string>> = {
  404: 'Not found, or not visible to you.',
  503: UNAVAILABLE_MESSAGE,
};

function exampleOf({ access }: Endpoint, status: number, codes: readonly string[], table: ErrorTable): Json {
  const [code] = codes;
  if (code === undefined)
    return { example: { success: false, message: status === 503 ? UNAVAILABLE_MESSAGE : 'Not found.' } };
  const example: Json = { success: false, message: table[code]?.message, code };
  if (code === 'validation_failed') example['errors'] = { page: ['The page field must be at least 1.'] };
  if (code === 'missing_ability' && access.kind === 'ability') {
    const refusal = missingAbility(access.ability);
    Object.assign(example, { message: refusal.message, data: refusal.data });
  }
  return { example };
}
