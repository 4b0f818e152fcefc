/**
 * The endpoints every process has: health, readiness, metrics, and the API's description. `mount.ts` adds them to the
 * list, so they are served, counted and documented like all others.
 */
import { Type } from '@sinclair/typebox';
import type { Registry } from 'prom-client';
import { type Endpoint, endpoint } from './endpoint.ts';
import { success } from './envelope.ts';

/** One thing that the process needs. */
export interface ReadinessPart {
  readonly name: string;
  readonly ok: boolean;
  /** For people: what is wrong, or what is worth knowing although it works. */
  readonly detail?: string;
  /** It works, but something waits for somebody to act. */
  readonly degraded?: boolean;
}

export type Readiness = () => Promise<readonly ReadinessPart[]>;

const Part = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  detail: Type.Optional(Type.String()),
});
const ReadyBody = Type.Object({
  success: Type.Boolean(),
  message: Type.Optional(Type.String()),
  data: Type.Object({
    status: Type.String(),
    parts: Type.Array(Part),
    degraded: Type.Array(Type.Object({ name: Type.String(), detail: Type.Optional(Type.String()) })),
  }),
});

const PUBLIC = {
  access: { kind: 'public', identified: false },
  tags: ['Service'],
  rateLimit: false,
} as const;
const FRESH = { 'Cache-Control': 'no-store' };

const STOPPING: readonly ReadinessPart[] = [{ name: 'process', ok: false, detail: 'it is stopping' }];

export interface BuiltInParts {
  readonly readiness: Readiness;
  readonly metrics: Registry;
  /** The text of `/metrics`; default: that of `metrics`. Null: it cannot be told now. */
  readonly metricsText?: () => Promise<string | null>;
  /** Readers of `/metrics` have to send it as a bearer token. */
  readonly metricsToken?: string;
}

/** `document` is called at every request, because it is made from a list that includes these endpoints. */
export function builtInEndpoints(
  parts: BuiltInParts & { readonly isStopping: () => boolean },
  document: () => string,
): readonly Endpoint[] {
  const { readiness, isStopping } = parts;
  return [
    healthEndpoint(),
    readyEndpoint(async () => (isStopping() ? STOPPING : await readiness())),
    metricsEndpoint(parts),
    documentEndpoint(document),
  ];
}

function healthEndpoint(): Endpoint {
  return endpoint({
    ...PUBLIC,
    method: 'GET',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Whether the process is running',
    responses: {
      200: {
        description: 'It is.',
        schema: Type.Object({ success: Type.Boolean(), data: Type.Object({ status: Type.Literal('ok') }) }),
      },
    },
    handle: async () => success({ status: 'ok' }, { headers: FRESH }),
  });
}

function readyEndpoint(readiness: Readiness): Endpoint {
  return endpoint({
    ...PUBLIC,
    method: 'GET',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Whether the process is ready for requests',
    responses: {
      200: {
        description:
          'The process is ready; `degraded` lists problems that need attention but do not stop it.',
        schema: ReadyBody,
      },
      503: { description: 'A part is unavailable; `message` names it.', schema: ReadyBody },
    },
    async handle() {
      const found = await readiness();
      const failing = found.filter((part) => !part.ok);
      const degraded = found.flatMap(({ name, detail, degraded }) =>
        degraded ? [{ name, ...(detail === undefined ? {} : { detail }) }] : [],
      );
      const parts = found.map(({ degraded: _, ...part }) => part);
      if (failing.length === 0) return success({ status: 'ready', parts, degraded }, { headers: FRESH });
      const message = `Not ready: ${failing.map(({ name, detail }) => (detail ? `${name} (${detail})` : name)).join(', ')}.`;
      return {
        status: 503,
        body: { success: false, message, data: { status: 'unavailable', parts, degraded } },
        headers: { ...FRESH, 'Retry-After': '1' },
      };
    },
  });
}

function metricsEndpoint({ metrics, metricsText, metricsToken }: BuiltInParts): Endpoint {
  return endpoint({
    ...PUBLIC,
    method: 'GET',
    path: '/metrics',
    ...(metricsToken === undefined ? {} : { access: { kind: 'secret', secret: metricsToken } }),
    operationId: 'getMetrics',
    summary: 'Metrics for Prometheus',
    responses: {
      200: { description: 'Prometheus text.', schema: Type.String(), contentType: 'text/plain' },
      503: {
        description: 'The figures of the other processes are not known now.',
        schema: Type.String(),
        contentType: 'text/plain',
      },
    },
    async handle() {
      const text = await (metricsText?.() ?? metrics.metrics());
      const answer = text === null ? { status: 503, raw: '' } : { status: 200, raw: text };
      return { ...answer, contentType: metrics.contentType, headers: FRESH };
    },
  });
}

function documentEndpoint(document: () => string): Endpoint {
  return endpoint({
    ...PUBLIC,
    method: 'GET',
    path: '/docs/api/openapi.json',
    operationId: 'getOpenApiDocument',
    summary: 'This description',
    responses: {
      200: {
        description: 'The OpenAPI 3.1 document.',
        schema: Type.Object({}, { additionalProperties: true }),
      },
    },
    handle: async () => ({
      status: 200,
      raw: document(),
      headers: { 'Cache-Control': 'public, max-age=60' },
    }),
  });
}
