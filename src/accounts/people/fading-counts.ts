/**
 * Counts that are forgotten by halves: how much of something there was lately, by key, in this process and in bounded
 * memory. Used by what orders the strangers who sign in.
 */
import { LRUCache } from 'lru-cache';

interface Count {
  readonly count: number;
  readonly atMs: number;
}

export class FadingCounts {
  readonly #halfLifeMs: number;
  readonly #counts: LRUCache<string, Count>;

  constructor(halfLifeMs: number, maxKeys: number) {
    this.#halfLifeMs = halfLifeMs;
    this.#counts = new LRUCache({ max: maxKeys });
  }

  /** What is left of the count at this moment. */
  read(key: string, nowMs: number): number {
    const { count, atMs } = this.#counts.get(key) ?? { count: 0, atMs: nowMs };
    return count * 0.5 ** ((nowMs - atMs) / this.#halfLifeMs);
  }

  /** Adds to the count, or takes from it as long as something is left. Gives what there was before. */
  add(key: string, nowMs: number, by = 1): number {
    const before = this.read(key, nowMs);
    this.#counts.set(key, { count: Math.max(0, before + by), atMs: nowMs });
    return before;
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }
}
