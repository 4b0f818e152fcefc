/**
 * Remembers answers for a moment. Many who ask for the same at once share one look-up; what failed is not remembered.
 * Bounded: the least recently made go first.
 */
export class ShortCache<T> {
  readonly #entries = new Map<string, { readonly value: Promise<T>; goodUntilMs: number }>();
  readonly #goodForMs: number;
  readonly #most: number;

  constructor(goodForMs: number, most: number) {
    this.#goodForMs = goodForMs;
    this.#most = most;
  }

  /** The remembered value, or what `make` gives. `goodForMs` may shorten the time by what was made. */
  get(key: string, make: () => Promise<T>, goodForMs?: (value: T) => number): Promise<T> {
    const nowMs = performance.now();
    const known = this.#entries.get(key);
    if (known !== undefined && nowMs < known.goodUntilMs) return known.value;
    this.#entries.delete(key);
    if (this.#entries.size >= this.#most) this.#dropOne();
    const value = make();
    const entry = { value, goodUntilMs: nowMs + this.#goodForMs };
    if (this.#goodForMs > 0) this.#entries.set(key, entry);
    value.then(
      (made) => {
        if (goodForMs !== undefined) entry.goodUntilMs = nowMs + Math.min(this.#goodForMs, goodForMs(made));
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return value;
  }

  /** What `make` gives, whatever was remembered. */
  renew(key: string, make: () => Promise<T>): Promise<T> {
    this.#entries.delete(key);
    return this.get(key, make);
  }

  /** What is remembered, if it is still good; makes nothing. */
  peek(key: string): Promise<T> | null {
    const known = this.#entries.get(key);
    return known !== undefined && performance.now() < known.goodUntilMs ? known.value : null;
  }

  forget(): void {
    this.#entries.clear();
  }

  #dropOne(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}
