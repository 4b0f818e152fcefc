/**
 * Serves a list of endpoints through Koa. Hot endpoints are answered by the first middleware, with nothing in between;
 * all others go through CORS, security headers and compression to @koa/router. Both run the same pipeline and printer, and
 * the headers that the middleware adds are put on hot answers by hand, so that nobody can tell the two apart.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import type { Registry } from 'prom-client';
import { builtInEndpoints, type Readiness } from './built-in.ts';
import { type Origin, originReader } from './client-address.ts';
import { COMPRESSED_FROM_BYTES, compressed } from './compress.ts';
import type { Endpoint, Reply } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { type OpenApiInfo, openApiDocument } from './openapi.ts';
import { newRoute, Pipeline, type PipelineOptions, type ReadUpload, type Route } from './pipeline.ts';
import { notFound, Problem } from './problem.ts';
import { RequestMetrics, type RouteCounts } from './request-metrics.ts';
import { RouteTable } from './route-table.ts';
import { EXPOSED_HEADERS, HELMET_OPTIONS, HOT_HEADERS } from './security-headers.ts';
import { JSON_UTF8, type Serialized, serialize } from './serialize.ts';
import { Streams } from './streams.ts';
import { uploadReader } from './upload.ts';
import { isMultipart, SchemaCompiler } from './validate.ts';

/** Sees every answer as it goes out; tests hold it against the document. */
export type AnswerObserver = (endpoint: Endpoint, serialized: Serialized) => void;

export interface HttpAppOptions extends PipelineOptions {
  readonly endpoints: readonly Endpoint[];
  readonly readiness: Readiness;
  readonly metrics: Registry;
  /** Addresses and CIDR ranges of proxies whose forwarding headers are believed. */
  readonly trustProxy: readonly string[];
  /** The base address for links; without it, the one each caller used. */
  readonly publicUrl?: string;
  readonly openapi: OpenApiInfo;
  readonly observe?: AnswerObserver;
}

export interface HttpApp {
  readonly app: Koa;
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void;
  /** Every endpoint that is served, the built-in ones included. */
  readonly endpoints: readonly Endpoint[];
  /** The OpenAPI document. */
  readonly document: object;
  /** Before the server stops: answers ask their clients to reconnect elsewhere, and streams end. */
  drain(): void;
}

interface Mounted extends Route {
  readonly counts: RouteCounts;
  readonly upload: ReturnType<typeof uploadReader> | null;
}

/** Throws on endpoints that contradict each other or whose schemas do not compile. */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  let document: object = {};
  let serialized = '';
  const own = builtInEndpoints(options.readiness, options.metrics, () => serialized);
  const endpoints = [...options.endpoints, ...own];
  document = openApiDocument(endpoints, options.openapi);
  serialized = JSON.stringify(document);
  const front = new Front(options, endpoints);
  const app = new Koa();
  app.on('error', (err: unknown) => options.log.error({ err }, 'http stack failed'));
  app.use(front.first);
  app.use(
    cors({
      origin: '*',
      exposeHeaders: EXPOSED_HEADERS,
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: 600,
    }),
  );
  app.use(helmet(HELMET_OPTIONS));
  app.use(compress({ threshold: COMPRESSED_FROM_BYTES }));
  app.use(front.router(endpoints));
  app.use(front.last);
  return { app, callback: app.callback(), endpoints, document, drain: () => front.drain() };
}

class Front {
  readonly #pipeline: Pipeline;
  readonly #origin: Origin;
  readonly #table = new RouteTable<Mounted>();
  readonly #streams = new Streams();
  readonly #observe: AnswerObserver | null;
  readonly #elsewhere: Mounted;
  readonly #mounted = new Map<Endpoint, Mounted>();

  constructor(options: HttpAppOptions, endpoints: readonly Endpoint[]) {
    this.#pipeline = new Pipeline(options);
    this.#origin = originReader(options.trustProxy, options.publicUrl);
    this.#observe = options.observe ?? null;
    const compiler = new SchemaCompiler();
    const metrics = new RequestMetrics(options.metrics);
    const mount = (endpoint: Endpoint): Mounted => ({
      ...newRoute(endpoint, compiler.inputsOf(endpoint)),
      counts: metrics.route(endpoint.method, endpoint.path),
      upload: endpoint.body !== undefined && isMultipart(endpoint.body) ? uploadReader(endpoint.body) : null,
    });
    for (const endpoint of endpoints) {
      const mounted = mount(endpoint);
      if (endpoint.hot === true && mounted.upload !== null) {
        throw new TypeError(`${endpoint.operationId}: a hot endpoint cannot take multipart forms`);
      }
      this.#mounted.set(endpoint, mounted);
      this.#table.add(endpoint.method, endpoint.path, mounted);
    }
    this.#elsewhere = mount(ELSEWHERE);
  }

  /** Answers hot endpoints; hands everything else down. */
  readonly first: Middleware = (context, next) => {
    const { req, res } = context;
    const exchange = new Exchange(req, res, this.#origin);
    const found = this.#table.match(exchange.method, exchange.path);
    if (found === null || found.target.endpoint.hot !== true) {
      context.state['exchange'] = exchange;
      // A preflight is answered on the way down, before anything is serialized.
      if (exchange.method === 'OPTIONS') context.set('X-Request-Id', exchange.requestId);
      return next();
    }
    context.respond = false;
    return this.#serveHot(found.target, exchange, found.params);
  };

  /** The ordinary endpoints; fixed paths come before those with parameters. */
  router(endpoints: readonly Endpoint[]): Middleware {
    const router = new Router({ strict: true, sensitive: true });
    const ordered = [...endpoints].sort((a, b) => (sortKey(a.path) < sortKey(b.path) ? -1 : 1));
    for (const endpoint of ordered) {
      if (endpoint.hot === true) continue;
      const mounted = this.#mounted.get(endpoint)!;
      router.register(
        endpoint.path.replaceAll(/\{([^}]+)\}/g, ':$1'),
        [endpoint.method],
        (context: Context) =>
          this.#serve(mounted, context, (context['params'] ?? {}) as Record<string, string>),
      );
    }
    return router.routes() as unknown as Middleware;
  }

  /** 404, 405 and `OPTIONS`; counted like any other request to the API. */
  readonly last: Middleware = async (context) => {
    await this.#serve(this.#elsewhere, context, {});
  };

  drain(): void {
    this.#streams.end();
  }

  async #serveHot(mounted: Mounted, exchange: Exchange, params: Record<string, string>): Promise<void> {
    const reply = await this.#pipeline.answer(mounted, exchange, params, null);
    const { status, headers, payload } = this.#serialize(mounted, exchange, reply, HOT_HEADERS);
    const res = exchange.outgoing;
    if (this.#streams.draining) headers.push('Connection', 'close');
    if (payload instanceof Readable) {
      this.#streams.send(exchange, status, headers, payload);
      return;
    }
    const isHead = exchange.method === 'HEAD';
    const shrinking =
      payload === null || isHead
        ? null
        : compressed(exchange.headers['accept-encoding'], reply.contentType ?? JSON_UTF8, payload);
    const shrunk = shrinking === null ? null : await shrinking;
    if (shrunk !== null) headers.push('Content-Encoding', shrunk.encoding);
    const sent = shrunk?.bytes ?? payload;
    if (sent !== null) headers.push('Content-Length', String(Buffer.byteLength(sent)));
    else if (status !== 204 && status !== 304) headers.push('Content-Length', '0');
    res.writeHead(status, headers);
    res.end(isHead ? undefined : (sent ?? undefined));
  }

  async #serve(mounted: Mounted, context: Context, params: Record<string, string>): Promise<void> {
    const exchange = context.state['exchange'] as Exchange;
    const { upload } = mounted;
    const readUpload: ReadUpload | null = upload === null ? null : (errors) => upload(context, errors);
    const reply =
      mounted === this.#elsewhere
        ? await this.#answerElsewhere(exchange)
        : await this.#pipeline.answer(mounted, exchange, params, readUpload);
    const { status, headers, payload } = this.#serialize(mounted, exchange, reply, NO_HEADERS);
    if (this.#streams.draining) headers.push('Connection', 'close');
    if (payload instanceof Readable) {
      context.respond = false;
      this.#streams.send(exchange, status, headers, payload);
      return;
    }
    // Koa turns the status into 204 when it is given an empty body, so the status comes last.
    context.body = payload;
    context.status = status;
    for (let at = 0; at < headers.length; at += 2) setHeader(context, headers[at]!, headers[at + 1]!);
  }

  /** The caller is told first whether they are known and within their limit, then that there is nothing here. */
  async #answerElsewhere(exchange: Exchange): Promise<Reply> {
    const allowed = this.#table.methodsOf(exchange.path);
    const counted = exchange.path.startsWith('/api/');
    const refusal = await this.#pipeline.refusal({ ...this.#elsewhere, counted }, exchange);
    if (refusal !== null) return refusal;
    const headers = { Allow: allowed.join(', ') };
    if (allowed.length === 0) return this.#pipeline.failed(notFound(), exchange);
    if (exchange.method === 'OPTIONS') return { status: 204, headers };
    return this.#pipeline.failed(
      new Problem(405, null, `This path does not take ${exchange.method}.`, { headers }),
      exchange,
    );
  }

  #serialize(mounted: Mounted, exchange: Exchange, reply: Reply, base: readonly string[]): Serialized {
    let serialized: Serialized;
    try {
      serialized = serialize(exchange, reply, base);
    } catch (error) {
      serialized = serialize(exchange, this.#pipeline.replyTo(error, exchange), base);
    }
    mounted.counts.add(serialized.status, (performance.now() - exchange.startedAtMs) / 1000);
    if (this.#observe !== null && mounted !== this.#elsewhere) {
      this.#observe(mounted.endpoint, { ...serialized, payload: asText(serialized) });
    }
    return serialized;
  }
}

const NO_HEADERS: readonly string[] = [];

/** JSON that was serialized to bytes is text to whoever looks at it. */
function asText({ headers, payload }: Serialized): Serialized['payload'] {
  const type = headers[headers.indexOf('Content-Type') + 1] ?? '';
  return Buffer.isBuffer(payload) && /json/.test(type) ? payload.toString() : payload;
}

/** What stands behind every path that nobody serves. */
const ELSEWHERE: Endpoint = {
  method: 'GET',
  path: '(none)',
  operationId: 'elsewhere',
  summary: '',
  tags: [],
  access: { kind: 'public' },
  responses: {},
  handle: () => Promise.reject(notFound()),
};

/** Parameters sort behind every character that a fixed segment may have. */
function sortKey(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, '\uffff');
}

function setHeader(context: Context, name: string, value: string): void {
  if (name.toLowerCase() === 'set-cookie') context.append(name, value);
  else if (name.toLowerCase() === 'vary') context.vary(value);
  else context.set(name, value);
}
