/**
 * Counts requests to the limits: the API's for each user or address, and that of pages for each session or address. The
 * pipeline calls it once for each request; while the shared counter is unavailable, a bound in this process is in
 * for it.
 */
import { hash } from 'node:crypto';
import { networkOf } from './client-address.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { type Problem, refuse } from './problem.ts';
import { LocalRateLimiter, type RateLimiter, rateKey } from './rate-limit.ts';

/** What a request counts to. */
export type Counter = 'api' | 'page';

const PAGES_PER_MINUTE = 300;

/** Null where requests of the endpoint count to nothing. */
export function counterOf({ rateLimit, path, page }: Endpoint): Counter | null {
  if (rateLimit === false) return null;
  if (page === true) return 'page';
  return path.startsWith('/api/') ? 'api' : null;
}

/** A request for a path that is not there counts as if it were. */
export function counterElsewhere(path: string): Counter | null {
  if (path.startsWith('/api/')) return 'api';
  return path.startsWith('/webhooks/') ? null : 'page';
}

export class RequestLimit {
  readonly #shared: RateLimiter | null;
  readonly #local = new LocalRateLimiter();
  readonly #limits: Readonly<Record<Counter, number>>;

  /** `apiPerMinute`: 0 turns both limits off, as a missing counter does. */
  constructor(shared: RateLimiter | null, apiPerMinute: number) {
    this.#shared = apiPerMinute === 0 ? null : shared;
    this.#limits = { api: apiPerMinute, page: PAGES_PER_MINUTE };
  }

  counts(counter: Counter | null): boolean {
    return counter !== null && this.#shared !== null;
  }

  /** The refusal of one request too many, or null. Fills `exchange.rate` where the shared counter answers. */
  async take(counter: Counter | null, exchange: Exchange): Promise<Problem | null> {
    if (counter === null || this.#shared === null) return null;
    const key = keyOf(counter, exchange);
    const limit = this.#limits[counter];
    try {
      const decision = await this.#shared.take(key, limit);
      exchange.rate = decision;
      return decision.allowed ? null : rateLimited(decision.retryAfterS);
    } catch {
      // Which part is unavailable, and since when, is the readiness check's to say; a line per request would bury it.
      return this.#local.allows(key, limit, performance.now()) ? null : rateLimited(60);
    }
  }
}

/** Visitors' sessions are free, so that pages of visitors count to their address. */
function keyOf(counter: Counter, { principal, session, ip }: Exchange): string {
  if (counter === 'api') return rateKey(principal?.userId ?? null, ip);
  if (session === null || principal === null) return `page:ip:${networkOf(ip)}`;
  // A hash: keys are in Redis in the clear, and a session's id lets in anyone who has it.
  return `page:s:${hash('sha256', session.id, 'base64url')}`;
}

function rateLimited(retryAfterS: number): Problem {
  return refuse('rate_limited', { headers: { 'Retry-After': String(retryAfterS) } });
}
