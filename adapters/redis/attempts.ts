/**
 * Counts attempts at something that must not be tried without end (signing in), over all processes that share a Redis;
 * while it is unavailable, this process counts alone. The pages count before an attempt and take back what turned out
 * to be no guess.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisLink } from './link.ts';

export interface AttemptRules {
  /** Distinguishes what is counted. */
  readonly name: string;
  readonly attempts: number;
  readonly perSeconds: number;
}

export class Attempts {
  readonly #limiter: RateLimiterRedis;

  constructor(link: RedisLink, { name, attempts, perSeconds }: AttemptRules) {
    const rules = { keyPrefix: `attempts:${name}`, points: attempts, duration: perSeconds };
    this.#limiter = new RateLimiterRedis({
      ...rules,
      storeClient: link,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(rules),
    });
  }

  /** Counts one attempt. Null when it may be made, otherwise the seconds until the next may. */
  async take(key: string): Promise<number | null> {
    try {
      await this.#limiter.consume(key);
      return null;
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    }
  }

  /** Takes one attempt back: it was not a wrong one. */
  async giveBack(key: string): Promise<void> {
    await this.#limiter.reward(key);
  }
}
