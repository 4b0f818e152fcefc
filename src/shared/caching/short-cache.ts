/**
 * Caches answers for a moment. Many who request the same at once share one look-up; what failed is not cached. Bounded:
 * the least recently used go first.
 */
import { LRUCache } from 'lru-cache';

export class ShortCache<T> {
  readonly #entries: LRUCache<string, Promise<T>>;
  readonly #goodForMs: number;

  /** With `goodForMs` 0 nothing is cached. */
  constructor(goodForMs: number, max: number) {
    this.#entries = new LRUCache({ max, ttl: goodForMs });
    this.#goodForMs = goodForMs;
  }

  /** The cached value, or what `make` returns. `goodForMs` may depend on the value. */
  get(key: string, make: () => Promise<T>, goodForMs?: (value: T) => number): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const startMs = performance.now();
    const value = make();
    if (this.#goodForMs > 0) this.#entries.set(key, value);
    value.then(
      (made) => {
        if (goodForMs !== undefined) this.#shorten(key, value, startMs + goodForMs(made) - performance.now());
      },
      () => this.#drop(key, value),
    );
    return value;
  }

  /** What `make` returns, whatever was cached. */
  renew(key: string, make: () => Promise<T>): Promise<T> {
    this.#entries.delete(key);
    return this.get(key, make);
  }

  /** The cached value, if it is still valid; calls nothing. */
  peek(key: string): Promise<T> | null {
    return this.#entries.peek(key) ?? null;
  }

  forget(): void {
    this.#entries.clear();
  }

  #shorten(key: string, value: Promise<T>, ttl: number): void {
    if (ttl <= 0) this.#drop(key, value);
    else if (ttl < this.#entries.getRemainingTTL(key) && this.#entries.peek(key) === value) {
      this.#entries.set(key, value, { ttl });
    }
  }

  #drop(key: string, value: Promise<T>): void {
    if (this.#entries.peek(key) === value) this.#entries.delete(key);
  }
}
