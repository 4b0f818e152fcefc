/**
 * A running HTTP server over endpoints of a test, for the tests of this folder: real sockets, a token store in
 * memory, and a log that can be read afterwards.
 */
import { connect } from 'node:net';
import { Registry } from 'prom-client';
import type { ReadinessPart } from '../../../adapters/http/built-in.ts';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { createHttpApp, type HttpApp, type HttpAppOptions } from '../../../adapters/http/mount.ts';
import { type Listening, type ListenOptions, listen } from '../../../adapters/http/server.ts';
import { TEST_REFUSALS, TOKENS } from './test-endpoints.ts';

export interface Running extends Listening {
  readonly http: HttpApp;
  readonly logged: { fields: object; message: string }[];
}

/** Starts on a free port. The limit is off unless options turn it on. */
export async function serve(
  endpoints: readonly Endpoint[],
  options: Partial<HttpAppOptions> &
    Pick<ListenOptions, 'graceMs' | 'limits' | 'patience' | 'drain'> & {
      parts?: readonly ReadinessPart[];
    } = {},
): Promise<Running> {
  const logged: Running['logged'] = [];
  const write = (fields: object, message: string): void => {
    logged.push({ fields, message });
  };
  const http = createHttpApp({
    endpoints,
    authenticate: (bearer) => (Object.hasOwn(TOKENS, bearer) ? TOKENS[bearer]! : null),
    sessions: null,
    rateLimiter: null,
    rateLimitPerMinute: 0,
    readiness: async () => options.parts ?? [{ name: 'postgres', ok: true }],
    metrics: new Registry(),
    trustProxy: [],
    log: { error: write, warn: write },
    openapi: { title: 'Test', version: '1.0.0' },
    refusals: TEST_REFUSALS,
    ...options,
  });
  const { graceMs, limits, patience, drain } = options;
  const listening = await listen({
    app: http,
    host: '127.0.0.1',
    port: 0,
    graceMs,
    limits,
    patience,
    drain,
  });
  return { ...listening, http, logged };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Of JSON answers; null otherwise. */
  readonly body: unknown;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly token?: string;
  readonly json?: unknown;
  readonly text?: string | Buffer;
  readonly headers?: Record<string, string>;
}

export async function call(url: string, options: RequestOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.token !== undefined) headers['Authorization'] = `Bearer ${options.token}`;
  if (options.json !== undefined) headers['Content-Type'] ??= 'application/json';
  const body = options.json !== undefined ? JSON.stringify(options.json) : options.text;
  const response = await fetch(url, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body,
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null, text };
}

/** Sends bytes as they are and returns everything that comes back until the server closes or 2 s have passed. */
export function raw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    const timer = setTimeout(() => socket.destroy(), 2000);
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}
