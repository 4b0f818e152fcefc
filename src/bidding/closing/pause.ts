/** A wait whose end may be moved forward while somebody waits. The sweep sleeps in it. */
export class Pause {
  isOver = false;
  #timer: NodeJS.Timeout | null = null;
  #endMs = Number.POSITIVE_INFINITY;
  #done: () => void = () => {};

  /** Waits until this moment of the monotonic clock, or a sooner one if `endBy` says so. One wait at a time. */
  until(endMs: number): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#plan(endMs);
    });
  }

  /** Whoever waits now waits no longer than this. */
  endBy(endMs: number): void {
    if (endMs < this.#endMs && this.#timer !== null) this.#plan(endMs);
  }

  /** Ends this wait and every later one. */
  endForGood(): void {
    this.isOver = true;
    this.#end();
  }

  #plan(endMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#endMs = endMs;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, endMs - performance.now()));
  }

  #end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#done();
  }
}
