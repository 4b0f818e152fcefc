/**
 * A lower bound of Redis' clock, kept from every answer and from a ping. Between answers it continues with this
 * machine's monotonic clock, so that a wrong or jumping wall clock here cannot move a deadline.
 */

const WINDOW_MS = 10_000;

export class ServerClock {
  /** Server time minus monotonic time, in µs: the largest seen in this window and in the one before. */
  #offsetUs = Number.NEGATIVE_INFINITY;
  #previousUs = Number.NEGATIVE_INFINITY;
  #windowStartMs = 0;
  /** Not beyond this: the server has been caught stopped or running slow, and has not said anything later since. */
  #maxUs = Number.POSITIVE_INFINITY;
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Notes that the server said `serverUs`, now. */
  observe(serverUs: number): void {
    if (serverUs > this.#maxUs) this.#maxUs = Number.POSITIVE_INFINITY;
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#windowStartMs > WINDOW_MS) {
      this.#previousUs = this.#offsetUs;
      this.#offsetUs = Number.NEGATIVE_INFINITY;
      this.#windowStartMs = nowMs;
    }
    this.#offsetUs = Math.max(this.#offsetUs, serverUs - Math.ceil(nowMs * 1_000));
  }

  /**
   * The server disagrees with this bound: start again from what it says. The journal's clock stops where its server's
   * has been set back, so nothing is added to it before the server says something later.
   */
  reset(serverUs: number): void {
    this.#maxUs = serverUs;
    this.#previousUs = Number.NEGATIVE_INFINITY;
    this.#windowStartMs = this.#monotonicMs();
    this.#offsetUs = serverUs - Math.ceil(this.#windowStartMs * 1_000);
  }

  /** A moment that the server's clock has certainly reached. */
  nowUs(): number {
    const offsetUs = Math.max(this.#offsetUs, this.#previousUs);
    return Math.min(this.#maxUs, Math.floor(this.#monotonicMs() * 1_000 + offsetUs));
  }
}
