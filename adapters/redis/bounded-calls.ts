/**
 * Bounds the journal's calls: every one ends, with its reply or as `JournalUnavailable` after a while, or at once
 * where others already hang.
 */
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { replyInTime } from './reply-in-time.ts';

/** How long a call may take while others hang. */
const HANGING_MS = 200;

export class BoundedCalls {
  readonly #timeoutMs: number;
  #hanging = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Something was answered: calls may take their time again. */
  noteAnswer(): void {
    this.#hanging = false;
  }

  /** The call's reply. Rejects with `JournalUnavailable`, whatever went wrong. */
  run<T>(call: Promise<T>): Promise<T> {
    const limitMs = this.#hanging ? Math.min(this.#timeoutMs, HANGING_MS) : this.#timeoutMs;
    const late = () => {
      this.#hanging = true;
      return new JournalUnavailable(`the journal did not answer within ${limitMs} ms`);
    };
    const answered = call.then(
      (value) => {
        this.#hanging = false;
        return value;
      },
      (error: unknown) => {
        throw new JournalUnavailable(`the journal cannot be reached: ${String(error)}`, { cause: error });
      },
    );
    return replyInTime(answered, limitMs, late);
  }
}
