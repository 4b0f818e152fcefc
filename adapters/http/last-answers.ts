/**
 * The last answers of public reads, sent again while Redis or Postgres is unavailable, and marked as stale. Only what
 * anybody may read is kept, and only what was true a minute before the outage is shown.
 */
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Endpoint, Reply } from './endpoint.ts';
import type { Exchange } from './exchange.ts';

const MAX_BYTES = 32 * 1024 * 1024;
/** How old an answer may be when the outage begins. */
const RECENT_MS = 60_000;

interface Kept {
  readonly reply: Reply;
  readonly atMs: number;
}

/** Says on a page that it is not up to date. */
export type MarkPage = (html: string) => string;

export class LastAnswers {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES / 16,
    sizeCalculation: ({ reply }, key) => sizeOf(reply) + key.length,
  });
  readonly #markPage: MarkPage | null;
  /** Since when reads have failed without one that succeeded. */
  #failingSinceMs: number | null = null;

  /** Without `markPage` no pages are kept. */
  constructor(markPage: MarkPage | null) {
    this.#markPage = markPage;
  }

  /** Keeps the answer to a public read of nobody in particular. */
  keep(endpoint: Endpoint, exchange: Exchange, reply: Reply): void {
    if (!this.#isKept(endpoint, exchange) || reply.status !== 200) return;
    this.#failingSinceMs = null;
    // What a page shows to a browser that it knows may be that browser's own.
    if (endpoint.page === true && exchange.headers.cookie !== undefined) return;
    if (reply.raw instanceof Readable || !TEXT.test(reply.contentType ?? 'application/json')) return;
    this.#kept.set(keyOf(endpoint, exchange), { reply, atMs: performance.now() });
  }

  /** The last answer to this read, marked; null where there is none that is recent enough. */
  staleAnswer(endpoint: Endpoint, exchange: Exchange): Reply | null {
    if (!this.#isKept(endpoint, exchange)) return null;
    this.#failingSinceMs ??= performance.now();
    const kept = this.#kept.get(keyOf(endpoint, exchange));
    if (kept === undefined || kept.atMs < this.#failingSinceMs - RECENT_MS) return null;
    const { contentType } = kept.reply;
    const text = textOf(kept.reply);
    const raw = endpoint.page === true ? (this.#markPage?.(text) ?? text) : withMark(text);
    return { status: 200, raw, ...(contentType === undefined ? {} : { contentType }) };
  }

  #isKept({ access, page, rateLimit }: Endpoint, { method, principal }: Exchange): boolean {
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || principal !== null || access.kind !== 'public' || rateLimit === false) return false;
    return page !== true || this.#markPage !== null;
  }
}

/** Answers contain links to the address they were requested at; pages are in a language. */
function keyOf({ page }: Endpoint, { baseUrl, path, rawQuery, headers }: Exchange): string {
  const language = page === true ? (headers['accept-language'] ?? '') : '';
  return `${baseUrl}${path}?${rawQuery} ${language}`;
}

const TEXT = /^(text\/html|application\/(.+\+)?json)\b/;

/** What an answer that is not made into text yet counts as. */
const BODY_BYTES = 8_192;

function sizeOf({ raw }: Reply): number {
  return typeof raw === 'string' || Buffer.isBuffer(raw) ? raw.length : BODY_BYTES;
}

function textOf({ raw, body }: Reply): string {
  return raw === undefined ? JSON.stringify(body ?? {}) : String(raw);
}

function withMark(text: string): string {
  const answer: Record<string, unknown> = JSON.parse(text);
  const { meta } = answer;
  return JSON.stringify({ ...answer, meta: { ...(typeof meta === 'object' ? meta : {}), stale: true } });
}
