/**
 * Serializes a handler's reply: status, header list and payload, the same for every route. `ETag` and 304,
 * `Cache-Control`, the request id and the rate limit's headers are added here; `mount.ts` and `hot-routes.ts` only
 * send what this returns.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import fresh from 'fresh';
import type { Reply } from './endpoint.ts';
import type { Exchange } from './exchange.ts';

export interface Serialized {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: string[];
  readonly payload: string | Buffer | Readable | null;
  /** A payload that is text has as many bytes as characters. */
  readonly isAscii?: boolean;
}

export const JSON_UTF8 = 'application/json; charset=utf-8';

/** Throws when the body is no JSON. */
export function serialize(exchange: Exchange, reply: Reply): Serialized {
  const headers = ['X-Request-Id', exchange.requestId];
  addRate(headers, exchange);
  const own = reply.headers === undefined ? NO_HEADERS : addOwnHeaders(headers, reply.headers);
  const payload = payloadOf(reply);
  if (!own.isCached)
    headers.push('Cache-Control', exchange.principal === null ? 'no-cache' : 'private, no-cache');
  if (isTagged(exchange, reply) && isWhole(payload)) {
    const etag = own.etag ?? weakTag(payload);
    if (own.etag === null) headers.push('ETag', etag);
    // Nothing but the tag: a client that also says `no-cache` (as `fetch` does) still checks whether what it has is
    // right.
    if (fresh({ 'if-none-match': exchange.headers['if-none-match'] }, { etag }))
      return { status: 304, headers, payload: null };
  }
  if (payload !== null) headers.push('Content-Type', reply.contentType ?? JSON_UTF8);
  return { status: reply.status, headers, payload, isAscii: reply.rawIsAscii === true };
}

/** What the handler's own headers already say of caching. */
interface OwnHeaders {
  readonly etag: string | null;
  readonly isCached: boolean;
}

const NO_HEADERS: OwnHeaders = { etag: null, isCached: false };

function addOwnHeaders(headers: string[], own: NonNullable<Reply['headers']>): OwnHeaders {
  let etag: string | null = null;
  let isCached = false;
  for (const [name, value] of Object.entries(own)) {
    const lower = name.toLowerCase();
    if (lower === 'etag') etag = String(value);
    else if (lower === 'cache-control') isCached = true;
    if (typeof value === 'string') headers.push(name, value);
    else for (const one of value) headers.push(name, one);
  }
  return { etag, isCached };
}

function payloadOf(reply: Reply): Serialized['payload'] {
  if (reply.raw !== undefined) return reply.raw;
  return reply.body === undefined ? null : JSON.stringify(reply.body);
}

function addRate(headers: string[], exchange: Exchange): void {
  const { rate } = exchange;
  if (rate === null) return;
  headers.push(
    'X-RateLimit-Limit',
    String(rate.limit),
    'X-RateLimit-Remaining',
    String(rate.remaining),
    'X-RateLimit-Reset',
    String(rate.resetAtS),
  );
}

function isTagged(exchange: Exchange, reply: Reply): boolean {
  return reply.status === 200 && (exchange.method === 'GET' || exchange.method === 'HEAD');
}

/** A stream's end is not known yet, so that it has no tag. */
function isWhole(payload: Serialized['payload']): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload);
}

/** Weak, because compression changes the bytes and not the meaning. */
export function weakTag(payload: string | Buffer): string {
  return `W/"${createHash('sha1').update(payload).digest('base64url')}"`;
}
