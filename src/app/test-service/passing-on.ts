/**
 * The front of the test service: a request with a test token is answered by that service, whatever it asks for, and
 * never reaches an endpoint here. So a test token can touch nothing real: it acts on another Postgres and another
 * Redis.
 */
import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { request as openSecureRequest, Agent as SecureAgent } from 'node:https';
import { pipeline } from 'node:stream';
import type { Authenticate } from '../../../adapters/http/authenticate.ts';
import type { Origin } from '../../../adapters/http/client-address.ts';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { failure } from '../../../adapters/http/envelope.ts';
import type { HttpApp } from '../../../adapters/http/mount.ts';
import { dependencyUnavailable, type Problem, refuse } from '../../../adapters/http/problem.ts';
import { TEST_TOKEN_PREFIX } from '../../accounts/tokens/tokens.ts';
import type { Log } from '../../shared/log.ts';
import { bearerOf, type TestCaller } from './test-callers.ts';

export interface FrontParts {
  readonly url: string;
  readonly secret: string;
  /** Knows test tokens and no others. */
  readonly authenticate: Authenticate;
  readonly origin: Origin;
  readonly problemOf: (error: unknown) => Problem | null;
  readonly log: Log;
}

/** Of one connection, not of the request. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'];
const BEARER = new RegExp(`^bearer +(${TEST_TOKEN_PREFIX}\\S+) *$`, 'i');

/** The app, with the requests of test tokens passed on. */
export function passingOn(app: HttpApp, parts: FrontParts): HttpApp {
  const front = new TestFront(parts);
  return {
    ...app,
    callback(request, response) {
      const bearer = BEARER.exec(request.headers.authorization ?? '')?.[1];
      if (bearer === undefined) app.callback(request, response);
      else void front.answer(request, response, bearer);
    },
    endStreams() {
      app.endStreams();
      front.endStreams();
    },
  };
}

class TestFront {
  readonly #parts: FrontParts;
  readonly #isSecure: boolean;
  readonly #agent: Agent;
  readonly #streams = new Set<IncomingMessage>();

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#isSecure = parts.url.startsWith('https:');
    this.#agent = new (this.#isSecure ? SecureAgent : Agent)({ keepAlive: true });
  }

  async answer(request: IncomingMessage, response: ServerResponse, bearer: string): Promise<void> {
    const { origin, authenticate, problemOf, log } = this.#parts;
    const from = { ip: origin.ip(request), secure: origin.isSecure(request) };
    try {
      const principal = await authenticate(bearer, from);
      if (principal === null) throw refuse('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } });
      if (principal.suspended) throw refuse('account_suspended');
      this.#passOn(request, response, principal);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === null) log.warn({ err: error }, 'a test token could not be looked up');
      answerProblem(request, response, problem ?? dependencyUnavailable());
    }
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #passOn(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    const { url, log } = this.#parts;
    const open = this.#isSecure ? openSecureRequest : openRequest;
    // Never resolved against the service's address: what a caller asks for must not choose where it is sent.
    const outgoing = open(
      url,
      {
        method: request.method,
        path: pathOf(request.url),
        headers: this.#headersOf(request, principal),
        agent: this.#agent,
      },
      (incoming) => {
        response.writeHead(incoming.statusCode ?? 502, withoutConnection(incoming.headers));
        this.#streams.add(incoming);
        pipeline(incoming, response, () => this.#streams.delete(incoming));
      },
    );
    outgoing.on('error', (err) => {
      if (response.headersSent || response.destroyed) return;
      log.warn({ err }, 'the test service does not answer');
      answerProblem(request, response, dependencyUnavailable());
    });
    response.once('close', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  /** The caller's, without cookies and proxies' words, and with who they are. */
  #headersOf(request: IncomingMessage, principal: Principal): Record<string, string | string[]> {
    const { cookie: _, forwarded: __, ...headers } = withoutConnection(request.headers);
    const { origin, secret } = this.#parts;
    return {
      ...headers,
      authorization: `Bearer ${bearerOf(secret, callerOf(principal))}`,
      'x-forwarded-for': origin.ip(request),
      'x-forwarded-proto': origin.isSecure(request) ? 'https' : 'http',
    };
  }
}

/** What is asked for, without the host that a request to a proxy names. */
function pathOf(asked = '/'): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(asked)?.[1] ?? asked;
  return path.startsWith('/') ? path : `/${path}`;
}

function callerOf({ userId: id, name, abilities }: Principal): TestCaller {
  return { id, name, abilities: [...abilities].filter((ability) => ability !== 'admin') };
}

function withoutConnection(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !OF_CONNECTION.includes(name)) kept[name] = value;
  return kept;
}

function answerProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const { status, body, headers } = failure(problem);
  request.resume();
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}
