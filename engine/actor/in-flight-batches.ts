/**
 * A lot's batches on their way to the journal, in the order in which they were sent: each is decided on what the one before will have
 * left. Their results may come in any order and are taken in the order of sending, so that the actor hears first of what
 * the later ones rest on.
 */
import type { Batch, CommitResult } from './journal.ts';
import type { Prepared } from './prepare.ts';

export interface Landed {
  readonly prepared: Prepared;
  readonly result: CommitResult;
}

interface Flight {
  readonly prepared: Prepared;
  result: CommitResult | null;
}

export class InFlightBatches {
  readonly #flights: Flight[] = [];

  get size(): number {
    return this.#flights.length;
  }

  /** How many questions the oldest carries. */
  get oldestLength(): number {
    return this.#flights[0]?.prepared.decided.length ?? 0;
  }

  /** The hash of the newest entry that is on its way, or null where none is. */
  get newestHash(): string | null {
    for (let at = this.#flights.length - 1; at >= 0; at -= 1) {
      const entry = this.#flights[at]!.prepared.batch?.entry;
      if (entry) return entry.hash;
    }
    return null;
  }

  add(prepared: Prepared): void {
    this.#flights.push({ prepared, result: null });
  }

  /** Notes what came of a batch. */
  note(batch: Batch, result: CommitResult): void {
    const flight = this.#flights.find(({ prepared }) => prepared.batch === batch);
    if (flight !== undefined) flight.result = result;
  }

  /** The oldest, once its result is there; it is then no longer on its way. */
  takeLanded(): Landed | null {
    const oldest = this.#flights[0];
    if (oldest === undefined || oldest.result === null) return null;
    this.#flights.shift();
    return { prepared: oldest.prepared, result: oldest.result };
  }
}
