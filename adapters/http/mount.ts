/**
 * Serves a list of endpoints: a Koa application whose first middleware answers the few that are `hot`, and behind it
 * CORS, security headers, compression and @koa/router for all others. Both run the same pipeline and send the same
 * headers, so that nobody can distinguish the two.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import cors from '@koa/cors';
import type { RouterContext } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import { type BuiltInParts, builtInEndpoints } from './built-in.ts';
import { originReader } from './client-address.ts';
import type { Endpoint } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { HotRoutes } from './hot-routes.ts';
import { type OpenApiInfo, openApiDocument } from './openapi.ts';
import { inOriginForm } from './request-target.ts';
import { type Mounted, Responder, type ResponderOptions } from './responder.ts';
import { discardRest } from './rest-of-body.ts';
import { RouteGroups } from './route-groups.ts';
import { EXPOSED_HEADERS, HELMET_OPTIONS } from './security-headers.ts';
import type { Serialized } from './serialize.ts';

export interface HttpAppOptions extends ResponderOptions, BuiltInParts {
  readonly endpoints: readonly Endpoint[];
  /** Addresses and CIDR ranges of proxies whose forwarding headers are believed. */
  readonly trustProxy: readonly string[];
  /** The base address for links; without it, the one each caller used. */
  readonly publicUrl?: string;
  readonly openapi: OpenApiInfo;
}

export interface HttpApp {
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void;
  /** Every endpoint that is served, the built-in ones included. */
  readonly endpoints: readonly Endpoint[];
  /** The OpenAPI document. */
  readonly document: object;
  /** Before the server stops: it is not ready any more. */
  drain(): void;
  /** From now on every answer closes its connection, and its client reconnects elsewhere. */
  closeConnections(): void;
  /** Ends the streams that are open, and those that begin from now on. */
  endStreams(): void;
}

/** What the middleware hands on. */
interface State {
  exchange: Exchange;
}

/** What the router leaves on the context for those behind it. */
type Routed = Pick<RouterContext, 'matched'>;

/** Smaller answers fit into one packet anyway. */
const COMPRESSED_FROM_BYTES = 1024;

/** Throws on endpoints that contradict each other or whose schemas do not compile. */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  let serialized = '';
  const responder = new Responder(options);
  let isStopping = false;
  const own = builtInEndpoints({ ...options, isStopping: () => isStopping }, () => serialized);
  const endpoints = [...options.endpoints, ...own];
  const document = openApiDocument(endpoints, options.openapi, options.refusals?.table);
  serialized = JSON.stringify(document);
  const mounted = inRouteOrder(endpoints).map((endpoint) => responder.mount(endpoint));
  const origin = originReader(options.trustProxy, options.publicUrl);
  const newExchange = (req: IncomingMessage, res: ServerResponse) => new Exchange(req, res, origin);
  const serveKoa = koaApp(mounted, responder, newExchange, options.log).callback();
  return {
    callback(request, response) {
      inOriginForm(request);
      void serveKoa(request, response);
    },
    endpoints,
    document,
    drain() {
      isStopping = true;
    },
    closeConnections() {
      responder.closesConnections = true;
    },
    endStreams: () => responder.streams.end(),
  };
}

function koaApp(
  mounted: readonly Mounted[],
  responder: Responder,
  newExchange: (request: IncomingMessage, response: ServerResponse) => Exchange,
  log: ResponderOptions['log'],
): Koa<State, Routed> {
  const app = new Koa<State, Routed>();
  app.on('error', (err: unknown) => {
    // A client that leaves during its answer is no error, and must not fill the log.
    if (!hasLeft(err)) log.error({ err }, 'http stack failed');
  });
  app.use(hotRoutes(mounted, responder, newExchange));
  app.use((context, next) => {
    context.state.exchange = newExchange(context.req, context.res);
    // A preflight is answered on the way down, before anything is serialized.
    context.set('X-Request-Id', context.state.exchange.requestId);
    if (responder.closesConnections) context.set('Connection', 'close');
    return next().finally(() => discardRest(context.req));
  });
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
  app.use(routesOf(mounted, responder).routes());
  app.use(async (context) => {
    const { exchange } = context.state;
    const answer = await responder.answerElsewhere(exchange, allowedMethods(context));
    send(context, exchange, answer, responder);
  });
  return app;
}

/** Matched before everything else, with no middleware behind them. Throws where one would hide another endpoint. */
function hotRoutes(
  mounted: readonly Mounted[],
  responder: Responder,
  newExchange: (request: IncomingMessage, response: ServerResponse) => Exchange,
): Middleware<State> {
  const hot = new HotRoutes(responder);
  for (const route of mounted) if (route.endpoint.hot === true) hot.add(route);
  for (const { endpoint } of mounted) refuseHidden(endpoint, hot);
  return (context, next) => {
    const { req, res } = context;
    const found = hot.find(req.method ?? 'GET', pathOf(req));
    if (found === null) return next();
    context.respond = false;
    return hot.serve(found, newExchange(req, res));
  };
}

/** All endpoints, the hot ones too: the routers know what there is. */
function routesOf(mounted: readonly Mounted[], responder: Responder): RouteGroups<State> {
  const groups = new RouteGroups<State>();
  const fixedPaths = new Set(
    mounted.map(({ endpoint }) => endpoint.path).filter((path) => !path.includes('{')),
  );
  for (const route of mounted) {
    const { method, path } = route.endpoint;
    groups.add(method, path, async (context, next) => {
      // A fixed path that lacks the method is no id of the path with a parameter alongside it.
      if (path.includes('{') && fixedPaths.has(context.path)) return next();
      const { exchange } = context.state;
      send(context, exchange, await responder.answer(route, exchange, context.params, context), responder);
    });
  }
  return groups;
}

function send(
  context: Context,
  exchange: Exchange,
  { status, headers, payload }: Serialized,
  { streams }: Responder,
): void {
  if (payload instanceof Readable) {
    context.respond = false;
    streams.send(exchange, status, headers, payload);
    return;
  }
  // Koa turns the status into 204 when it is given an empty body, so the status comes last.
  context.body = payload;
  context.status = status;
  for (let at = 0; at < headers.length; at += 2) setHeader(context, headers[at] ?? '', headers[at + 1] ?? '');
}

function setHeader(context: Context, name: string, value: string): void {
  if (name.toLowerCase() === 'set-cookie') context.append(name, value);
  else if (name.toLowerCase() === 'vary') context.vary(value);
  else context.set(name, value);
}

/**
 * What the router has found for the path, whatever the method; empty when nothing is there. A fixed path is no
 * other's id.
 */
function allowedMethods({ matched = [], path }: Routed & Pick<Context, 'path'>): string[] {
  if (matched.length === 0) return [];
  const fixed = matched.filter((layer) => layer.path === path);
  const methods = (fixed.length === 0 ? matched : fixed).flatMap((layer) => layer.methods);
  return [...new Set(methods), 'OPTIONS'].sort();
}

/** A fixed path comes before one with parameters, which those that are hot cannot know of an ordinary one. */
function refuseHidden({ method, path, hot }: Endpoint, hotRoutes: HotRoutes): void {
  if (hot !== true && hotRoutes.find(method, path) !== null)
    throw new TypeError(`${method} ${path} lies behind a hot endpoint`);
}

const PARAMETER = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/**
 * Fixed paths before those with parameters, as the router tries them in turn. Throws on two endpoints of one method and
 * path, and on a segment that is partly a parameter.
 */
function inRouteOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  const routes = new Set<string>();
  for (const { method, path } of endpoints) {
    const segments = path.split('/').map((segment) => (PARAMETER.test(segment) ? '{}' : segment));
    if (segments.some((segment) => segment !== '{}' && /[{}:*]/.test(segment))) {
      throw new TypeError(`not a path: ${path}`);
    }
    const route = `${method} ${segments.join('/')}`;
    if (routes.has(route)) throw new TypeError(`two endpoints for ${method} ${path}`);
    routes.add(route);
  }
  return [...endpoints].sort((a, b) => (sortKey(a.path) < sortKey(b.path) ? -1 : 1));
}

/** Parameters sort behind every character that a fixed segment may have. */
function sortKey(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, '\uffff');
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

const LEFT = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

function hasLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LEFT.has(String(error.code));
}
