/**
 * Counts invalid tokens by the address they come from: an address that has sent thirty in a minute is refused before
 * anything is looked up. The token cache calls it; with the request limit off there is none.
 */

import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { Refusal } from '../../shared/refusal.ts';

/** What `adapters/redis/attempts.ts` counts with. */
export interface BadTokenCounter {
  /** Counts one; the seconds to wait where it was one too many. */
  take(key: string): Promise<number | null>;
  /** The seconds to wait, without counting. */
  wait(key: string): Promise<number | null>;
}

export const BAD_TOKENS = { name: 'bad-token', attempts: 30, perSeconds: 60 } as const;

export class BadTokens {
  readonly #counter: BadTokenCounter;

  constructor(counter: BadTokenCounter) {
    this.#counter = counter;
  }

  /** Throws 429 where this address has sent too many. */
  async refuseGuesser(ip: string): Promise<void> {
    const waitS = await this.#counter.wait(rateKey(null, ip));
    if (waitS !== null) {
      throw new Refusal('rate_limited', {
        message: 'Too many requests with invalid tokens.',
        retryAfterS: waitS,
      });
    }
  }

  async count(ip: string): Promise<void> {
    await this.#counter.take(rateKey(null, ip));
  }
}
