/**
 * A fair order in which a process' shards decide: one after the other, a millisecond of them at a time, with the event
 * loop between. So what is decided is in flight to Redis while the next is decided, instead of growing old waiting for
 * it, and waiting shards fill up meanwhile.
 */

const SLICE_MS = 1;

export class FairScheduler {
  readonly #waiting: (() => void)[] = [];
  #next = 0;

  /**
   * Calls `work` in a turn of the event loop of its own or shared with others, in the order of the calls. Must not
   * throw.
   */
  schedule(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const until = performance.now() + SLICE_MS;
    do {
      this.#waiting[this.#next]?.();
      this.#next += 1;
    } while (this.#next < this.#waiting.length && performance.now() < until);
    if (this.#next < this.#waiting.length) setImmediate(() => this.#run());
    else {
      this.#waiting.length = 0;
      this.#next = 0;
    }
  }
}
