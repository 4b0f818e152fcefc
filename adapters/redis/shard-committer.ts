/**
 * Group commit for one shard: sources with work enqueue, and while one call is in flight the next one fills; a second
 * goes out alongside it only for a source that pipelines, or where so many wait that it is worth its own call. A
 * call that does not return in time fails its batches; whether they are committed is then found out by a client that
 * sends the command again.
 */
import type { Batch, BatchSource, CommitResult } from '../../engine/actor/journal.ts';
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { itemAt } from '../../engine/first-of.ts';
import { FairScheduler } from './fair-scheduler.ts';

/** Commits batches of one shard; gives one result for each, in order, or throws. */
export type CommitCall = (shard: number, batches: readonly Batch[]) => Promise<CommitResult[]>;

export interface GroupCommitLimits {
  /** What goes into one call, counted in lots, keys and limits. */
  readonly weight: number;
  /** So many sources are worth a second call alongside the one in flight. */
  readonly pipelineFrom: number;
}

/** Lots that are decided within this time have one stamp: the script then reads it once for all of them. */
const SAME_STAMP_US = 1_000;

/** Deciding may take this long before the call goes out: stamps must still be fresh when the script reads them. */
const MAX_DECIDING_US = 60_000;

export class ShardCommitter {
  #waiting: BatchSource[] = [];
  /** Calls in flight: two at most. */
  #calls = 0;
  /** A source waits that pipelines. */
  #pipelined = false;
  #scheduled = false;
  readonly #shard: number;
  readonly #call: CommitCall;
  readonly #nowUs: () => number;
  readonly #limits: GroupCommitLimits;
  readonly #scheduler: FairScheduler;

  /** Committers that share `scheduler` decide one after the other. */
  constructor(
    shard: number,
    call: CommitCall,
    nowUs: () => number,
    limits: GroupCommitLimits,
    scheduler: FairScheduler = new FairScheduler(),
  ) {
    this.#shard = shard;
    this.#call = call;
    this.#nowUs = nowUs;
    this.#limits = limits;
    this.#scheduler = scheduler;
  }

  get idle(): boolean {
    return this.#calls === 0 && this.#waiting.length === 0;
  }

  enqueue(source: BatchSource): void {
    this.#waiting.push(source);
    this.#pipelined ||= source.pipelined;
    this.#schedule();
  }

  #mayGo(): boolean {
    if (this.#calls === 0) return true;
    const isWorthIt = this.#pipelined || this.#waiting.length >= this.#limits.pipelineFrom;
    return this.#calls === 1 && isWorthIt;
  }

  /** At the end of this turn of the event loop, so that everything that it brings goes into one call. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayGo()) return;
    this.#scheduled = true;
    this.#scheduler.schedule(() => {
      this.#scheduled = false;
      if (this.#mayGo()) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const sources: BatchSource[] = [];
    const batches: Batch[] = [];
    const startedUs = this.#nowUs();
    let stampUs = startedUs;
    const ready = this.#waiting;
    this.#waiting = [];
    this.#pipelined = false;
    let weight = 0;
    let taken = 0;
    for (const source of ready) {
      const nowUs = this.#nowUs();
      if (weight >= this.#limits.weight || nowUs - startedUs > MAX_DECIDING_US) break;
      taken += 1;
      if (nowUs - stampUs > SAME_STAMP_US) stampUs = nowUs;
      const batch = source.prepare(stampUs);
      if (batch === null) continue;
      sources.push(source);
      batches.push(batch);
      weight += 1 + batch.keys.length + batch.limits.length;
    }
    this.#waiting = [...ready.slice(taken), ...this.#waiting];
    if (batches.length === 0) {
      if (this.#waiting.length > 0) this.#schedule();
      return;
    }
    this.#calls += 1;
    // What did not go into this call need not wait for its answer.
    if (this.#waiting.length > 0) this.#schedule();
    const results = await this.#call(this.#shard, batches).catch((error: unknown) => failed(batches, error));
    this.#calls -= 1;
    sources.forEach((source, index) => {
      source.settle(itemAt(batches, index), itemAt(results, index));
    });
    if (this.#waiting.length > 0) this.#schedule();
  }
}

function failed(batches: readonly Batch[], error: unknown): CommitResult[] {
  const fault =
    error instanceof Error && error.name !== 'Error'
      ? error
      : new JournalUnavailable(String(error), { cause: error });
  return batches.map(() => ({ kind: 'failed', fault }));
}

/**
 * Enqueues a source at its shard's committer, at once where the shard is known; where nobody can say it, its commit
 * has failed.
 */
export function enqueueWhere(
  shard: number | Promise<number>,
  committers: readonly ShardCommitter[],
  source: BatchSource,
  nowUs: () => number,
): void {
  if (typeof shard === 'number') {
    itemAt(committers, shard).enqueue(source);
    return;
  }
  const fail = (fault: Error) => {
    const batch = source.prepare(nowUs());
    if (batch !== null) source.settle(batch, { kind: 'failed', fault });
  };
  shard.then((found) => itemAt(committers, found).enqueue(source), fail);
}
