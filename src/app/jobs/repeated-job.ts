/** A job of a worker that is done again and again, never twice at once, and sooner on request. */
import type { Log } from '../../shared/log.ts';

/** What belongs together, and is announced a moment later, is done together. */
export const SETTLE_MS = 40;

export class RepeatedJob {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #log: Log;
  readonly #work: () => Promise<unknown>;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #runAgain = false;
  #failing = false;
  #dueMs = 0;
  #closed = false;

  constructor(name: string, everyMs: number, log: Log, work: () => Promise<unknown>) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#log = log;
    this.#work = work;
    this.#plan(everyMs);
  }

  soon(inMs: number): void {
    if (this.#running === null) this.#plan(inMs);
    else this.#runAgain = true;
  }

  /** Ends after the run that is going on. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  /** What is planned sooner stays planned. */
  #plan(inMs: number): void {
    if (this.#closed) return;
    const dueMs = performance.now() + inMs;
    if (this.#timer !== null) {
      if (this.#dueMs <= dueMs) return;
      clearTimeout(this.#timer);
    }
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#run(), inMs);
  }

  #run(): void {
    this.#timer = null;
    this.#runAgain = false;
    this.#running = this.#work()
      .then(
        () => {
          this.#failing = false;
        },
        (err: unknown) => {
          if (!this.#failing) this.#log.warn({ err, job: this.#name }, 'a job failed; it is repeated');
          this.#failing = true;
        },
      )
      .finally(() => {
        this.#running = null;
        this.#plan(this.#runAgain ? SETTLE_MS : this.#everyMs);
      });
  }
}
