/**
 * The pace at which refused guesses are answered: a guesser who is as fast as the answers would otherwise keep
 * the process busy with saying no. A single refusal is answered at once; of many the next follows a moment later, and
 * none waits longer than a few seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const GAP_MS = 25;
const MAX_WAIT_MS = 5_000;

export class RefusalPace {
  #nextMs = 0;

  /** Resolves when the refusal may be answered, sooner for who has waited already. */
  async wait(waitedMs = 0): Promise<void> {
    const now = performance.now();
    const mostMs = Math.max(0, MAX_WAIT_MS - waitedMs);
    const waitMs = Math.min(mostMs, Math.max(0, this.#nextMs - now));
    this.#nextMs = now + waitMs + GAP_MS;
    if (waitMs > 0) await sleep(waitMs);
  }
}
