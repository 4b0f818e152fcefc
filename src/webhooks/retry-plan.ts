/**
 * When a delivery is tried: the waits of the configured schedule, each up to a fifth shorter or longer, so that what
 * failed together is not retried together.
 */
export class RetryPlan {
  readonly #waitsMs: readonly number[];
  readonly #random: () => number;

  /** `schedule`: seconds before the first attempt, and then since the try before. */
  constructor(schedule: readonly number[], random: () => number = Math.random) {
    this.#waitsMs = schedule.map((seconds) => seconds * 1_000);
    this.#random = random;
  }

  /** Milliseconds to wait before an attempt, counted from 1, or null after the last. */
  waitMs(attempt: number): number | null {
    const wait = this.#waitsMs[attempt - 1];
    return wait === undefined ? null : Math.round(wait * (0.8 + 0.4 * this.#random()));
  }
}
