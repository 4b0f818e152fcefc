/**
 * Runs the projectors of the shards that this worker has: a few at once, each again as soon as there is news, but not so often
 * that every bid becomes a transaction of its own. What fails is tried again after a growing pause.
 */
import type { Position } from './positions.ts';
import { type ProjectorParts, ShardProjector, type Step } from './shard-projector.ts';

export interface RunnerParts extends ProjectorParts {
  readonly onStep: (shard: number, step: Step) => void;
  readonly onError: (error: unknown, shard: number) => void;
}

interface Runner {
  readonly projector: ShardProjector;
  /** There may be news. */
  awake: boolean;
  stopped: boolean;
  failures: number;
  notBeforeMs: number;
  timer: NodeJS.Timeout | null;
  running: Promise<void> | null;
}

/** Transactions at once: Postgres gains little from more, and the pool is shared. */
const AT_ONCE = 3;
/** Bids of this long go into one transaction where nothing else holds it up, */
const GAP_MS = 40;
/** and of this much longer for each other shard that has news: a transaction costs what dozens of bids cost. */
const GAP_PER_SHARD_MS = 5;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

export class ShardRunners {
  readonly #parts: RunnerParts;
  readonly #runners = new Map<number, Runner>();
  #ready: Runner[] = [];
  #running = 0;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Begins with a shard, at once. */
  start(shard: number): void {
    this.#runners.set(shard, {
      projector: new ShardProjector(shard, this.#parts),
      awake: false,
      stopped: false,
      failures: 0,
      notBeforeMs: 0,
      timer: null,
      running: null,
    });
    this.wake(shard);
  }

  /** Says that the shard's log may have grown. */
  wake(shard: number): void {
    const runner = this.#runners.get(shard);
    if (runner === undefined || runner.awake) return;
    runner.awake = true;
    if (runner.running === null) this.#queue(runner);
  }

  /** Ends work on a shard; resolves when its last transaction is over. */
  async stop(shard: number): Promise<void> {
    const runner = this.#runners.get(shard);
    if (runner === undefined) return;
    this.#runners.delete(shard);
    runner.stopped = true;
    if (runner.timer !== null) clearTimeout(runner.timer);
    await runner.running;
  }

  /** The last position that this worker has committed on a shard, or null while it does not know. */
  position(shard: number): Position | null {
    return this.#runners.get(shard)?.projector.position ?? null;
  }

  #queue(runner: Runner): void {
    const waitMs = runner.notBeforeMs - performance.now();
    if (waitMs <= 0) {
      this.#ready.push(runner);
      this.#pump();
      return;
    }
    runner.timer = setTimeout(() => {
      runner.timer = null;
      this.#ready.push(runner);
      this.#pump();
    }, waitMs);
  }

  #pump(): void {
    while (this.#running < AT_ONCE && this.#ready.length > 0) {
      const runner = this.#ready.shift()!;
      if (runner.stopped) continue;
      this.#running += 1;
      runner.running = this.#step(runner).finally(() => {
        this.#running -= 1;
        runner.running = null;
        if (runner.awake && !runner.stopped) this.#queue(runner);
        this.#pump();
      });
    }
  }

  #gapMs(): number {
    let busy = 0;
    for (const { awake, running } of this.#runners.values()) if (awake || running !== null) busy += 1;
    return GAP_MS + GAP_PER_SHARD_MS * Math.max(0, busy - 1);
  }

  async #step(runner: Runner): Promise<void> {
    runner.awake = false;
    const { shard } = runner.projector;
    try {
      const step = await runner.projector.step();
      runner.failures = 0;
      runner.awake ||= step.more;
      runner.notBeforeMs = step.more ? 0 : performance.now() + this.#gapMs();
      if (step.messages > 0) this.#parts.onStep(shard, step);
    } catch (error) {
      const pauseMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** runner.failures);
      runner.failures += 1;
      runner.awake = true;
      runner.notBeforeMs = performance.now() + pauseMs;
      this.#parts.onError(error, shard);
    }
  }
}
