/**
 * Counts invalid tokens by the address they come from: of those that it sends in a minute, however close together, only
 * thirty are looked up. Each is counted before its look-up and taken back where it was good. The token cache calls it;
 * with the request limit off there is none.
 */

import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { Refusal } from '../../shared/refusal.ts';

/** What `adapters/redis/attempts.ts` counts with. */
export interface BadTokenCounter {
  /** Counts one; the seconds to wait where it was one too many. */
  take(key: string): Promise<number | null>;
  /** Takes one back. */
  giveBack(key: string): Promise<void>;
}

export const BAD_TOKENS = { name: 'bad-token', attempts: 30, perSeconds: 60 } as const;

export class BadTokens {
  readonly #counter: BadTokenCounter;
  /** Look-ups that run, by what they count against. */
  readonly #running = new Map<string, Set<Promise<unknown>>>();

  constructor(counter: BadTokenCounter) {
    this.#counter = counter;
  }

  /**
   * Looks a token up; null is a guess. Throws 429 where its address has no guess left. Good tokens that arrive together
   * wait for each other rather than be taken for guesses.
   */
  async look<T>(ip: string, find: () => Promise<T | null>): Promise<T | null> {
    const key = rateKey(null, ip);
    for (;;) {
      const waitS = await this.#counter.take(key);
      if (waitS === null) return this.#run(key, find);
      const running = this.#running.get(key);
      if (running === undefined) throw tooMany(waitS);
      await this.#counter.giveBack(key);
      await Promise.race(running);
    }
  }

  async #run<T>(key: string, find: () => Promise<T | null>): Promise<T | null> {
    const work = async () => {
      let isGuess = false;
      try {
        const found = await find();
        isGuess = found === null;
        return found;
      } finally {
        // What could not be looked up was no guess either.
        if (!isGuess) await this.#counter.giveBack(key);
      }
    };
    const working = work();
    const done = working.catch(() => null);
    const running = this.#running.get(key) ?? new Set();
    this.#running.set(key, running.add(done));
    try {
      return await working;
    } finally {
      running.delete(done);
      if (running.size === 0) this.#running.delete(key);
    }
  }
}

function tooMany(retryAfterS: number): Refusal {
  return new Refusal('rate_limited', { message: 'Too many requests with invalid tokens.', retryAfterS });
}
