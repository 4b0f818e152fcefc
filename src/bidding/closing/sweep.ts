/**
 * Opens and closes lots when their time has come. Every worker sweeps all shards that have lots; sending the command to
 * a lot that is not due, or that another worker has just closed, changes nothing, so nobody has to agree on who does
 * what. In a cluster each shard is looked at by itself: a server that is away delays only its own lots.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { dueLots, nextMoment } from '../../../adapters/redis/due.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { watchLog } from '../../../adapters/redis/log-watch.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import type { ShardDirectory } from '../../../adapters/redis/shard-directory.ts';
import { ALL_SHARDS } from '../../../adapters/redis/shards.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { isOpen } from '../../../engine/lot/state.ts';
import type { Log } from '../../shared/log.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';
import { Pause } from './pause.ts';

export interface Sweep {
  /** Ends after the current pass, whose commands are waited for. */
  close(): Promise<void>;
}

export interface SweepParts {
  readonly redis: OpenLink;
  readonly journal: Journal;
  readonly engine: Engine;
  /** Is told where due lots are: nobody may be there to ask when they are closed. */
  readonly shards?: Pick<ShardDirectory, 'note'>;
  /** Called for each lot that this sweep has closed, with the seconds since its end. */
  readonly onClosed?: (seconds: number) => void;
  readonly log: Log;
}

/** Where commits are announced. */
export type Announcements = Pick<RedisPubSub, 'subscribe'>;

/** Between two looks at a shard where a commit may have moved a lot, and where a due lot has not changed. */
const GAP_MS = 50;
const RETRY_MS = 250;
const AT_ONCE = 1_000;
/** How long the end waits for servers that do not answer. */
const LEAVE_MS = 2_000;
/** Announcements may be lost. */
const CHECK_MS = 1_000;

/**
 * Sweeps until closed: wakes when the first lot is due, and looks again for which that is when a commit is announced,
 * after a lost link, and every second. Throws when Redis cannot be subscribed to.
 */
export async function startSweep(parts: SweepParts & { readonly pubSub: Announcements }): Promise<Sweep> {
  const shards = new SweptShards(parts);
  const watch = await watchLog(parts.pubSub, (shard) => shards.noteMoved(shard));
  const done = shards.sweep();
  return {
    async close() {
      shards.end();
      await watch.close();
      await done;
      await shards.settled();
    },
  };
}

type Work = (shard: number) => Promise<void>;

class SweptShards {
  readonly #parts: SweepParts;
  /** When the first lot of a shard is due. */
  readonly #moments = new Map<number, number>();
  readonly #moved = new Set<number>(ALL_SHARDS);
  /** Shards that are being worked on, or whose server has just failed: nobody waits for one to look at the others. */
  readonly #busy = new Map<number, Promise<void>>();
  readonly #pause = new Pause();
  #readMs = Number.NEGATIVE_INFINITY;
  #checkMs = 0;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  noteMoved(shard: number): void {
    this.#moved.add(shard);
    this.#pause.endBy(this.#readMs + GAP_MS);
  }

  async sweep(): Promise<void> {
    while (!this.#pause.isOver) await this.#pass();
  }

  end(): void {
    this.#pause.endForGood();
  }

  async settled(): Promise<void> {
    await withinMs(Promise.all(this.#busy.values()), LEAVE_MS);
  }

  async #pass(): Promise<void> {
    await this.#readMoments();
    const nowUs = this.#parts.journal.nowUs();
    const due = this.#idleMoments().filter(([, us]) => us <= nowUs);
    let changed = 0;
    await this.#forEach(
      due.map(([shard]) => shard),
      async (shard) => {
        changed += await sweepShards(this.#parts, [shard]);
        this.#moved.add(shard);
      },
    );
    if (changed > 0) return;
    const waiting = this.#idleMoments().map(([, us]) => us);
    const firstMs = performance.now() + Math.ceil((Math.min(...waiting) - nowUs) / 1_000);
    const againMs = this.#readMs + GAP_MS;
    const isMoved = [...this.#moved].some((shard) => !this.#busy.has(shard));
    await this.#pause.until(isMoved ? againMs : Math.min(this.#checkMs, firstMs));
  }

  #idleMoments(): [shard: number, us: number][] {
    return [...this.#moments].filter(([shard]) => !this.#busy.has(shard));
  }

  async #readMoments(): Promise<void> {
    const nowMs = performance.now();
    const wanted = nowMs >= this.#checkMs ? ALL_SHARDS : [...this.#moved];
    const shards = wanted.filter((shard) => !this.#busy.has(shard));
    if (nowMs >= this.#checkMs) this.#checkMs = nowMs + CHECK_MS;
    if (shards.length === 0) return;
    this.#readMs = nowMs;
    for (const shard of shards) this.#moved.delete(shard);
    await this.#forEach(shards, async (shard) => {
      const us = await nextMoment(this.#parts.redis, shard);
      if (us === null) this.#moments.delete(shard);
      else this.#moments.set(shard, us);
    });
  }

  /** Works on each of these shards; resolves when all are done, or have not answered for a moment. */
  async #forEach(shards: readonly number[], work: Work): Promise<void> {
    for (const shard of shards) this.#busy.set(shard, this.#workOn(shard, work));
    await withinMs(Promise.all(shards.map((shard) => this.#busy.get(shard))), GAP_MS);
  }

  async #workOn(shard: number, work: Work): Promise<void> {
    try {
      await work(shard);
    } catch (err) {
      this.#moved.add(shard);
      if (performance.now() - this.#warnedMs >= RETRY_MS)
        this.#parts.log.warn({ err, shard }, 'a sweep failed; it is repeated');
      this.#warnedMs = performance.now();
      await sleep(RETRY_MS, undefined, { ref: false });
    } finally {
      this.#busy.delete(shard);
      this.#pause.endBy(this.#readMs + GAP_MS);
    }
  }
}

/** Resolves with the work, or when this time has passed. */
async function withinMs(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, passed]);
  clearTimeout(timer);
}

/** One round over these shards: gives the number of lots that changed. */
export async function sweepShards(
  { redis, journal, engine, shards: directory, onClosed }: SweepParts,
  shards: readonly number[],
): Promise<number> {
  const nowUs = journal.nowUs();
  const dueOf = async (shard: number) => {
    const found = await dueLots(redis, shard, nowUs, AT_ONCE);
    for (const { auctionId } of found) directory?.note(auctionId, shard);
    return found;
  };
  const due = (await Promise.all(shards.map(dueOf))).flat();
  const results = await Promise.all(due.map((state) => engine.submitTo(state, { type: 'advance' })));
  let changed = 0;
  results.forEach((result, index) => {
    if (result.kind !== 'answer' || result.answer.kind !== 'done' || !result.answer.changed) return;
    changed += 1;
    const { endsAtUs } = itemAt(due, index);
    const isOver = !isOpenLot(result.answer.status);
    // One that the hammer has closed has no end.
    if (isOver && isOpen(itemAt(due, index))) onClosed?.(Math.max(0, journal.nowUs() - endsAtUs) / 1_000_000);
  });
  return changed;
}
