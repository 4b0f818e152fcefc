/**
 * Runs a worker's projector: all shards that have news go into one transaction, and the next one follows after a
 * pause that grows with the rate of bids, because a transaction costs what dozens of bids cost and a lot that is bid
 * on twice is written once. What fails is retried after a growing pause.
 */
import { LOCK_RETRY_MS, retryLockWaits } from './lock-waits.ts';
import type { Position } from './positions.ts';
import { Projector, type ProjectorParts, type Step } from './projector.ts';
import { isHeldUp } from './unwritable.ts';

/** What was written in a step, or came through once its lock was released. */
export type Progress = Pick<Step, 'entries' | 'failures' | 'positions'>;

export interface LoopParts extends ProjectorParts {
  readonly onStep: (progress: Progress) => void;
  /** `shard` is null where it is nothing about one shard. */
  readonly onError: (error: unknown, shard: number | null) => void;
}

interface Shard {
  /** There may be news. */
  awake: boolean;
  failures: number;
  notBeforeMs: number;
  /** When to try again what waits for locks; infinity: nothing does. */
  retryAtMs: number;
}

/** Bids of at least this long go into one transaction, */
export const SHORTEST_PAUSE_MS = 40;
/** at a thousand bids a second of this much, */
const PAUSE_MS_PER_RATE = 0.4;
/** and never of more: a list may be a second behind. */
export const LONGEST_PAUSE_MS = 600;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Somebody else is just moving the shard. */
const MOVED_MS = 20;

export class ProjectionLoop {
  readonly #parts: LoopParts;
  readonly #projector: Projector;
  readonly #shards = new Map<number, Shard>();
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #notBeforeMs = 0;
  #lastMs = performance.now();
  #bidsPerSecond = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#projector = new Projector(parts);
  }

  /** Begins with a shard, at once. */
  start(shard: number): void {
    this.#projector.forget(shard);
    // Whoever had it before may have left something that waits for a lock.
    this.#shards.set(shard, { awake: false, failures: 0, notBeforeMs: 0, retryAtMs: 0 });
    this.wake(shard);
  }

  /** Says that the shard's log may have grown. */
  wake(shard: number): void {
    const state = this.#shards.get(shard);
    if (state === undefined || state.awake) return;
    state.awake = true;
    this.#schedule();
  }

  /** Ends work on a shard; resolves when its last transaction is over. */
  async stop(shard: number): Promise<void> {
    this.#shards.delete(shard);
    if (this.#shards.size === 0 && this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  /** The last position that this worker has committed on a shard, or null while it does not know. */
  position(shard: number): Position | null {
    return this.#shards.has(shard) ? this.#projector.position(shard) : null;
  }

  #schedule(): void {
    if (this.#running !== null) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const { awake, notBeforeMs, retryAtMs } of this.#shards.values())
      dueMs = Math.min(dueMs, retryAtMs, awake ? notBeforeMs : Number.POSITIVE_INFINITY);
    if (dueMs === Number.POSITIVE_INFINITY) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const waitMs = Math.max(0, Math.max(dueMs, this.#notBeforeMs) - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#running = this.#step().finally(() => {
        this.#running = null;
        this.#schedule();
      });
    }, waitMs);
  }

  async #step(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#shards].filter(([, { awake, notBeforeMs }]) => awake && notBeforeMs <= nowMs);
    for (const [, state] of due) state.awake = false;
    const shards = due.map(([shard]) => shard);
    try {
      if (shards.length > 0) await this.#project(shards, nowMs);
      this.#failures = 0;
    } catch (error) {
      const waitMs = retryAfterMs(this.#failures);
      this.#notBeforeMs = performance.now() + (isHeldUp(error) ? Math.min(LOCK_RETRY_MS, waitMs) : waitMs);
      this.#failures += 1;
      for (const shard of shards) this.#reschedule(shard, 0);
      this.#parts.onError(error, null);
    }
    await this.#retryLockWaits();
  }

  async #project(shards: readonly number[], startedMs: number): Promise<void> {
    const step = await this.#projector.step(shards);
    this.#settle(shards, step);
    this.#pause(step, startedMs);
    if (step.messages > 0 || step.failures.length > 0) this.#parts.onStep(step);
  }

  async #retryLockWaits(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#shards].filter(([, { retryAtMs }]) => retryAtMs <= nowMs);
    if (due.length === 0) return;
    const { database, onLotClosed, onError, onStep } = this.#parts;
    const shards = due.map(([shard]) => shard);
    const left = await retryLockWaits({ knex: database.knex, onLotClosed, onError }, shards);
    for (const [shard, state] of due)
      state.retryAtMs = left.shards.has(shard) ? performance.now() + left.afterMs : Number.POSITIVE_INFINITY;
    if (left.entries > 0 || left.failures.length > 0) onStep({ ...left, positions: new Map() });
  }

  #settle(shards: readonly number[], step: Step): void {
    for (const shard of shards) {
      const state = this.#shards.get(shard);
      if (state === undefined) continue;
      if (!step.unread.has(shard)) {
        state.failures = 0;
        continue;
      }
      this.#reschedule(shard, performance.now() + retryAfterMs(state.failures));
      state.failures += 1;
      this.#parts.onError(step.unread.get(shard), shard);
    }
    for (const shard of step.moved) this.#reschedule(shard, performance.now() + MOVED_MS);
    for (const shard of step.more) this.#reschedule(shard, 0);
    for (const shard of step.locked) {
      const state = this.#shards.get(shard);
      if (state !== undefined) state.retryAtMs = Math.min(state.retryAtMs, performance.now() + LOCK_RETRY_MS);
    }
  }

  #reschedule(shard: number, notBeforeMs: number): void {
    const state = this.#shards.get(shard);
    if (state === undefined) return;
    state.awake = true;
    state.notBeforeMs = notBeforeMs;
  }

  /** From one transaction's beginning to the next one's, so that a long one does not make the lag longer still. */
  #pause(step: Step, startedMs: number): void {
    const rate = (step.bids * 1_000) / Math.max(1, startedMs - this.#lastMs);
    this.#lastMs = startedMs;
    // What came at once after a quiet time is no rate yet.
    this.#bidsPerSecond += (rate - this.#bidsPerSecond) / 4;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#bidsPerSecond * PAUSE_MS_PER_RATE);
    const earliestMs = performance.now() + SHORTEST_PAUSE_MS;
    this.#notBeforeMs = step.more.length > 0 ? 0 : Math.max(earliestMs, startedMs + pauseMs);
  }
}

function retryAfterMs(failures: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
}
