/**
 * Work of many that would hold up everybody else if it were done at once: a few at a time, each beginning in a round of
 * its own of the event loop.
 */
import { setImmediate } from 'node:timers/promises';

export class FewAtOnce {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Does `work` once fewer run. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running += 1;
    try {
      await setImmediate();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
