/**
 * The request limit, exact over all processes that share a Redis. The HTTP pipeline takes once per counted request;
 * all takes of one tick travel in one script call per hash slot. While Redis is unavailable every take rejects at
 * once, and the caller falls back on its own bound.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { itemAt } from '../../engine/first-of.ts';
import { messageOf } from '../../engine/thrown.ts';
import { answerInTime } from './answer-in-time.ts';
import { type RedisLink, Script } from './link.ts';

export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends, rounded up. */
  readonly resetAtS: number;
  /** Seconds until then, at least 1. */
  readonly retryAfterS: number;
}

export interface RateLimitOptions {
  /** Hash tags that the counters are spread over: 1 for one server, 16 on a cluster. The same in every process. */
  readonly slots?: number;
  readonly windowMs?: number;
  /** Redis counts as unavailable when it has not answered by then; default 500. */
  readonly timeoutMs?: number;
  readonly prefix?: string;
  /** The folder of the .lua files. */
  readonly scripts: string;
}

interface Waiting {
  readonly limit: number;
  readonly resolve: (decision: RateDecision) => void;
  readonly reject: (error: Error) => void;
}

type CountedCalls = Map<string, Waiting[]>;

const WINDOW_MS = 60_000;
/** With the limit of a bid after it, that is answered within the two seconds of docs/faults.md. */
const TIMEOUT_MS = 300;
const REST_MS = 1_000;
const MAX_KEYS_PER_CALL = 1_000;

/** The shared counter was not called, or did not answer in time. */
export class RateLimitUnavailable extends Error {
  constructor(reason: string) {
    super(`the shared rate limit is unavailable: ${reason}`);
    this.name = 'RateLimitUnavailable';
  }
}

export class RedisRateLimiter {
  readonly #link: RedisLink;
  readonly #script: Script<readonly unknown[]>;
  readonly #slots: number;
  readonly #windowMs: number;
  readonly #timeoutMs: number;
  readonly #prefix: string;
  #waiting: CountedCalls[];
  #isScheduled = false;
  #restsUntilMs = 0;

  constructor(link: RedisLink, options: RateLimitOptions) {
    this.#link = link;
    this.#script = new Script(readFileSync(join(options.scripts, 'rate-limit.lua'), 'utf8'));
    this.#slots = options.slots ?? 1;
    this.#windowMs = options.windowMs ?? WINDOW_MS;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#prefix = options.prefix ?? 'rate';
    this.#waiting = this.#noCalls();
  }

  /**
   * Counts one request of `key`. The first `limit` requests of a window are allowed, in whichever process; rejects with
   * `RateLimitUnavailable` while Redis is unavailable.
   */
  take(key: string, limit: number): Promise<RateDecision> {
    if (!this.#link.isReady) return Promise.reject(new RateLimitUnavailable('not connected'));
    if (performance.now() < this.#restsUntilMs) return Promise.reject(new RateLimitUnavailable('resting'));
    return new Promise((resolve, reject) => {
      const calls = itemAt(this.#waiting, this.#slotOf(key));
      const waiting = calls.get(key);
      if (waiting === undefined) calls.set(key, [{ limit, resolve, reject }]);
      else waiting.push({ limit, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const taken = this.#waiting;
    this.#waiting = this.#noCalls();
    this.#isScheduled = false;
    taken.forEach((calls, slot) => {
      const entries = [...calls];
      for (let at = 0; at < entries.length; at += MAX_KEYS_PER_CALL) {
        void this.#send(slot, entries.slice(at, at + MAX_KEYS_PER_CALL));
      }
    });
  }

  async #send(slot: number, entries: readonly [string, Waiting[]][]): Promise<void> {
    try {
      const keys = entries.map(([key]) => `${this.#prefix}:{${this.#prefix}${slot}}:${key}`);
      const counts = entries.map(([, waiting]) => String(waiting.length));
      const answer = await this.#call(keys, [String(this.#windowMs), ...counts]);
      const nowMs = Number(answer[0]);
      entries.forEach(([, waiting], at) => {
        settle(waiting, nowMs, Number(answer[2 * at + 1]), Number(answer[2 * at + 2]));
      });
    } catch (error) {
      // Whoever comes while Redis hangs must not wait for the timeout too.
      this.#restsUntilMs = performance.now() + REST_MS;
      const reason = new RateLimitUnavailable(messageOf(error));
      for (const [, waiting] of entries) for (const { reject } of waiting) reject(reason);
    }
  }

  async #call(keys: string[], args: string[]): Promise<readonly unknown[]> {
    const counted = this.#script.run(this.#link, keys, args);
    return answerInTime(counted, this.#timeoutMs, () => new Error('no answer in time'));
  }

  #noCalls(): CountedCalls[] {
    return Array.from({ length: this.#slots }, () => new Map());
  }

  /** Any even spread will do, so long as every process spreads alike. */
  #slotOf(key: string): number {
    if (this.#slots === 1) return 0;
    let hash = 0;
    for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) >>> 0;
    return hash % this.#slots;
  }
}

/** Hands out the counts of a window in order: of n takes that brought it to c, the first has c − n + 1. */
function settle(waiting: readonly Waiting[], nowMs: number, count: number, endsAtMs: number): void {
  const resetAtS = Math.ceil(endsAtMs / 1000);
  const retryAfterS = Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000));
  let rank = count - waiting.length;
  for (const { limit, resolve } of waiting) {
    rank += 1;
    resolve({
      allowed: rank <= limit,
      limit,
      remaining: Math.max(0, limit - rank),
      resetAtS,
      retryAfterS,
    });
  }
}
