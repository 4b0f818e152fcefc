/**
 * The way of every request, in the order in which the API refuses: token (401), rate limit (429), ability and account
 * (403), path (404), body (413, 415, 400), schemas (422), and then the handler. `mount.ts` runs it for hot and ordinary
 * routes alike; it never throws, and what is serialized for a bug gives the caller nothing but the request's id.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Authenticate,
  type Caller,
  callerOf,
  csrfMatches,
  lacksAbility,
  type SessionPort,
  unauthenticated,
} from './authenticate.ts';
import { ClientGone, MAX_BODY_BYTES, readBody } from './body.ts';
import type { Endpoint, HttpRequest, MultipartForm, Principal, Reply } from './endpoint.ts';
import { failure } from './envelope.ts';
import type { Exchange } from './exchange.ts';
import { LastAnswers, type MarkPage } from './last-answers.ts';
import { dependencyUnavailable, HTTP_REFUSALS, notFound, Problem, type Refusals, refuse } from './problem.ts';
import { parseQuery } from './query.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Counter, counterOf, RequestLimit } from './request-limit.ts';
import { removeUploads } from './upload.ts';
import { type InputChecks, isForm, isMultipart, isPageUpload } from './validate.ts';
import { ValidationErrors } from './validation-errors.ts';

/** What is written to the log; pino's shape. */
export interface HttpLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface PipelineOptions {
  readonly authenticate: Authenticate;
  readonly sessions: SessionPort | null;
  readonly rateLimiter: RateLimiter | null;
  /** 0 turns the limit off. */
  readonly rateLimitPerMinute: number;
  /** Whether the account of a caller who is signed in may use an endpoint at all; called right after the abilities. */
  readonly accountRefusal?: (
    endpoint: Endpoint,
    principal: Principal,
    headers: IncomingHttpHeaders,
    params: Readonly<Record<string, string>>,
  ) => Problem | null;
  /** What the service refuses, and as what; without it only the HTTP side refuses anything. */
  readonly refusals?: Refusals;
  readonly log: HttpLog;
  /** Whether an error says that a store is unavailable: then it is no bug. */
  readonly isUnavailable?: (error: unknown) => boolean;
  /** The page of a refusal for a browser; null where the envelope is to answer. It never throws. */
  readonly failurePage?: (problem: Problem, request: HttpRequest) => Reply | null;
  /** How a page says that it is not up to date; without it no page is shown again while a part is unavailable. */
  readonly markPage?: MarkPage;
}

/** An endpoint with everything that is worked out once. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly inputs: InputChecks;
  /** Null: to no limit. */
  readonly counted: Counter | null;
  readonly takesBody: boolean;
}

/** Reads the multipart form of the request that is being answered. */
export type ReadUpload = (errors: ValidationErrors) => Promise<MultipartForm<Record<string, unknown>>>;

export function newRoute(endpoint: Endpoint, inputs: InputChecks): Route {
  return {
    endpoint,
    inputs,
    counted: counterOf(endpoint),
    takesBody: endpoint.method !== 'GET',
  };
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #limit: RequestLimit;
  readonly #last: LastAnswers;
  readonly #refusals: Refusals;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#refusals = options.refusals ?? HTTP_REFUSALS;
    this.#last = new LastAnswers(options.markPage ?? null);
    this.#limit = new RequestLimit(options.rateLimiter, options.rateLimitPerMinute);
  }

  /** The reply to a request, a refusal or a bug included. */
  async answer(
    route: Route,
    exchange: Exchange,
    params: Record<string, string>,
    upload: ReadUpload | null,
  ): Promise<Reply> {
    try {
      // Whatever is known at once is not waited for: each wait is a turn of the event loop that a bid waits.
      const admitted = this.#admit(route, exchange, params);
      const refusal = admitted instanceof Promise ? await admitted : admitted;
      if (refusal !== null) return this.failed(refusal, exchange);
      if (route.takesBody) await this.#takeBody(route, exchange, upload);
      else this.#check(route, exchange, undefined, new ValidationErrors());
      const reply = await route.endpoint.handle(exchange);
      if (!route.takesBody) this.#last.keep(route.endpoint, exchange, reply);
      return reply;
    } catch (error) {
      const last = this.#isFault(error) ? this.#last.staleAnswer(route.endpoint, exchange) : null;
      return last ?? this.replyTo(error, exchange);
    } finally {
      if (upload !== null && isUploaded(exchange.body)) await removeUploads(exchange.body);
    }
  }

  /** Only the checks that come before the body: for requests that no endpoint answers. */
  async refusal(route: Route, exchange: Exchange): Promise<Reply | null> {
    try {
      const refusal = await this.#admit(route, exchange, {});
      return refusal === null ? null : this.failed(refusal, exchange);
    } catch (error) {
      return this.replyTo(error, exchange);
    }
  }

  /** What a thrown value becomes: refusals and faults keep their status, everything else is a bug. */
  replyTo(error: unknown, exchange: Exchange): Reply {
    const problem = this.#refusals.problemOf(error);
    if (problem !== null) return this.failed(problem, exchange);
    const { requestId, method, path } = exchange;
    if (error instanceof ClientGone) {
      return this.failed(refuse('incomplete_request'), exchange);
    }
    if (this.#isUnavailable(error)) {
      this.#options.log.warn(
        { err: error, requestId, method, path },
        'request failed: a part is unavailable',
      );
      return this.failed(dependencyUnavailable(), exchange);
    }
    this.#options.log.error({ err: error, requestId, method, path }, 'request failed');
    return this.failed(new Problem(500, null, 'Something went wrong on our side.'), exchange);
  }

  /** What another process, or the same one a moment later, may well be able to answer. */
  #isFault(error: unknown): boolean {
    return this.#refusals.problemOf(error)?.status === 503 || this.#isUnavailable(error);
  }

  #isUnavailable(error: unknown): boolean {
    return saysUnavailable(error) || this.#options.isUnavailable?.(error) === true;
  }

  /** A refusal in the form that suits the caller: a page, or the failure envelope. */
  failed(problem: Problem, exchange: Exchange): Reply {
    return this.#options.failurePage?.(problem, exchange) ?? failure(problem);
  }

  /** Everything that is decided before the body is read. */
  #admit(
    route: Route,
    exchange: Exchange,
    params: Record<string, string>,
  ): Problem | null | Promise<Problem | null> {
    const { authenticate, sessions } = this.#options;
    const found = callerOf(exchange.incoming, exchange, route.endpoint.access, authenticate, sessions);
    if (!this.#limit.counts(route.counted) && !(found instanceof Promise))
      return this.#admitCaller(route, exchange, params, found, null);
    return this.#admitLater(route, exchange, params, found);
  }

  async #admitLater(
    route: Route,
    exchange: Exchange,
    params: Record<string, string>,
    found: Caller | null | Promise<Caller | null>,
  ): Promise<Problem | null> {
    const caller = await refusalOr(found, this.#refusals);
    exchange.principal = caller instanceof Problem ? null : (caller?.principal ?? null);
    exchange.session = caller instanceof Problem ? null : (caller?.session ?? null);
    const limited = await this.#limit.take(route.counted, exchange);
    if (caller instanceof Problem) return caller;
    return this.#admitCaller(route, exchange, params, caller, limited);
  }

  #admitCaller(
    route: Route,
    exchange: Exchange,
    params: Record<string, string>,
    caller: Caller | null,
    limited: Problem | null,
  ): Problem | null {
    const { access } = route.endpoint;
    exchange.principal = caller?.principal ?? null;
    exchange.session = caller?.session ?? null;
    const refusal =
      unauthenticated(access, caller) ??
      limited ??
      lacksAbility(access, exchange.principal) ??
      this.#refuseAccount(route, exchange.principal, exchange.headers, params);
    if (refusal !== null) return refusal;
    exchange.params = route.inputs.params(params);
    if (exchange.params === null) return notFound();
    return this.#refuseForgery(route, exchange);
  }

  #refuseAccount(
    { endpoint }: Route,
    principal: Principal | null,
    headers: IncomingHttpHeaders,
    params: Readonly<Record<string, string>>,
  ): Problem | null {
    if (principal === null) return null;
    return this.#options.accountRefusal?.(endpoint, principal, headers, params) ?? null;
  }

  #refuseForgery({ endpoint }: Route, { session, headers }: Exchange): Problem | null {
    if (session === null || endpoint.method === 'GET') return null;
    if (endpoint.body !== undefined && (isForm(endpoint.body) || isPageUpload(endpoint))) return null;
    return csrfMatches(session, headers['x-csrf-token']) ? null : refuse('csrf_failed');
  }

  async #takeBody(route: Route, exchange: Exchange, upload: ReadUpload | null): Promise<void> {
    const { body: schema, bodyOptional, maxBodyBytes, rawBody, judgedList = null } = route.endpoint;
    const errors = new ValidationErrors();
    if (schema !== undefined && isMultipart(schema)) {
      if (upload === null)
        throw new Error(`${route.endpoint.operationId}: multipart endpoints cannot be hot`);
      const form = await upload(errors);
      exchange.body = form;
      if (isPageUpload(route.endpoint)) this.#checkFormToken(exchange, form.fields);
      this.#check(route, exchange, form.fields, errors);
      return;
    }
    const read = await readBody(exchange.incoming, {
      schema,
      optional: bodyOptional === true,
      maxBytes: maxBodyBytes ?? MAX_BODY_BYTES,
      judgedList,
      ...(rawBody === true ? { inspect: (bytes) => inspect(route.endpoint, exchange, bytes) } : {}),
    });
    if (schema !== undefined && isForm(schema)) {
      const fields = parseQuery(String(read.value ?? ''), errors);
      if (exchange.principal?.via !== 'token' && route.endpoint.csrf !== false) {
        this.#checkFormToken(exchange, fields);
      }
      exchange.body = fields;
    } else exchange.body = read.value;
    this.#check(route, exchange, exchange.body, errors);
  }

  /**
   * Forms carry the token as the hidden field `_csrf`; sign-in forms too, so that nobody is signed in by a stranger.
   */
  #checkFormToken(exchange: Exchange, fields: Record<string, unknown>): void {
    const sent = fields['_csrf'] ?? exchange.headers['x-csrf-token'];
    if (exchange.session === null || !csrfMatches(exchange.session, sent)) throw refuse('csrf_failed');
    delete fields['_csrf'];
  }

  #check(route: Route, exchange: Exchange, body: unknown, errors: ValidationErrors): void {
    const { inputs } = route;
    exchange.query = inputs.query(exchange.rawQuery, errors);
    if (inputs.headers !== null) inputs.headers(exchange.headers, errors);
    if (body !== undefined) inputs.body(body, errors);
    if (!errors.isEmpty) throw refuse('validation_failed', { errors: errors.toErrors() });
  }
}

function inspect(endpoint: Endpoint, exchange: Exchange, bytes: Buffer): void | Promise<void> {
  exchange.rawBody = bytes;
  return endpoint.verify?.(exchange);
}

/** A caller who may not even have a token looked up is counted and refused like everybody else. */
async function refusalOr(
  found: Caller | null | Promise<Caller | null>,
  refusals: Refusals,
): Promise<Caller | Problem | null> {
  try {
    return await found;
  } catch (error) {
    const problem = refusals.problemOf(error);
    if (problem !== null) return problem;
    throw error;
  }
}

/** Stores say that they are unavailable by an error with status 503. */
function saysUnavailable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 503;
}

function isUploaded(body: unknown): body is MultipartForm<unknown> {
  return typeof body === 'object' && body !== null && 'files' in body;
}
