/**
 * The limit on requests: the port that a shared counter implements, the key a caller counts to, and the bound per
 * process that is in for the shared counter while it is unavailable. `pipeline.ts` calls it once per counted
 * request.
 */
import { networkOf } from './client-address.ts';

/** The answer to one counted request. */
export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends, rounded up. */
  readonly resetAtS: number;
  /** Seconds until then, at least 1. */
  readonly retryAfterS: number;
}

/** Counts over all processes: at most `limit` requests per key in a window that opens with its first one. */
export interface RateLimiter {
  /** Rejects when the shared counter is unavailable. */
  take(key: string, limit: number): Promise<RateDecision>;
}

const RATE_WINDOW_MS = 60_000;

/** `u:7` for a signed-in caller, otherwise `ip:` and the address, IPv6 by its /64. */
export function rateKey(userId: number | null, ip: string): string {
  if (userId !== null) return `u:${userId}`;
  return `ip:${networkOf(ip)}`;
}

interface Window {
  count: number;
  readonly endsAtMs: number;
}

const MAX_LOCAL_WINDOWS = 50_000;

/** Counts in this process alone. Bounded: when it holds too many callers it drops those with the oldest windows. */
export class LocalRateLimiter {
  readonly #windows = new Map<string, Window>();

  /** `nowMs` is any clock that does not step back. */
  allows(key: string, limit: number, nowMs: number): boolean {
    const window = this.#windows.get(key);
    if (window !== undefined && window.endsAtMs > nowMs) {
      window.count += 1;
      return window.count <= limit;
    }
    this.#windows.delete(key);
    if (this.#windows.size >= MAX_LOCAL_WINDOWS) this.#forgetOldest();
    this.#windows.set(key, { count: 1, endsAtMs: nowMs + RATE_WINDOW_MS });
    return limit >= 1;
  }

  #forgetOldest(): void {
    let left = MAX_LOCAL_WINDOWS / 10;
    for (const key of this.#windows.keys()) {
      this.#windows.delete(key);
      left -= 1;
      if (left <= 0) return;
    }
  }
}
