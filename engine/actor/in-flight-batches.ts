/**
 * A lot's batches on their way to the journal, in the order in which they were sent: each is decided on what the one
 * before will have left. Their results may come in any order and are taken in the order of sending. Also how large a
 * batch may be, and whether another may be pipelined behind the one in flight.
 */
import type { Batch, CommitResult } from './journal.ts';
import type { Prepared } from './prepare.ts';

export interface BatchLimits {
  /** Commands that go into one commit. */
  readonly batch: number;
  /** So many commands are worth a second commit behind the one in flight. */
  readonly pipelineFrom: number;
}

export interface Settled {
  readonly prepared: Prepared;
  readonly result: CommitResult;
}

interface InFlight {
  readonly prepared: Prepared;
  result: CommitResult | null;
}

/** Results without a conflict and without a stale timestamp, committed or not. */
const UNCONTENDED: ReadonlySet<CommitResult['kind']> = new Set(['committed', 'replayed', 'exposure']);

/** Whether the result says that no other process has moved the lot since the batch was decided. */
export function isUncontended(result: CommitResult): boolean {
  return UNCONTENDED.has(result.kind);
}

export class InFlightBatches {
  readonly #limits: BatchLimits;
  readonly #batches: InFlight[] = [];
  /** Fewer than the limit where commands took so long to decide that their stamp was too old. */
  #maxLength: number;
  /** A batch was not committed while another that follows it was in flight. */
  rollingBack = false;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
    this.#maxLength = limits.batch;
  }

  get size(): number {
    return this.#batches.length;
  }

  /** The hash of the newest entry that is in flight, or null where none is. */
  get newestHash(): string | null {
    for (let at = this.#batches.length - 1; at >= 0; at -= 1) {
      const entry = this.#batches[at]?.prepared.batch?.entry;
      if (entry) return entry.hash;
    }
    return null;
  }

  /**
   * How many of the waiting commands go into the next batch: of many, half, so that the other half can follow at once.
   */
  nextLength(waiting: number, contended: boolean): number {
    const whole = contended || this.size > 0 || waiting < 2 * this.#limits.pipelineFrom;
    return whole ? this.#maxLength : Math.min(this.#maxLength, Math.ceil(waiting / 2));
  }

  /** Whether a second batch may be decided on what the first will leave, and is worth it. */
  mayPipeline(waiting: number): boolean {
    if (this.size > 1 || this.rollingBack) return false;
    const oldestLength = this.#batches[0]?.prepared.decided.length ?? 0;
    return waiting >= Math.max(this.#limits.pipelineFrom, oldestLength / 2);
  }

  add(prepared: Prepared): void {
    this.#batches.push({ prepared, result: null });
  }

  /** Notes what came of a batch. */
  note(batch: Batch, result: CommitResult): void {
    for (const one of this.#batches) if (one.prepared.batch === batch) one.result = result;
  }

  /** The oldest, once its result is there; it is then no longer in flight. */
  takeSettled(): Settled | null {
    const oldest = this.#batches[0];
    if (oldest === undefined || oldest.result === null) return null;
    this.#batches.shift();
    const { prepared, result } = oldest;
    if (isUncontended(result)) this.#maxLength = Math.min(this.#limits.batch, this.#maxLength * 2);
    if (result.kind === 'clock') this.#maxLength = Math.max(1, prepared.decided.length >> 1);
    return { prepared, result };
  }
}
