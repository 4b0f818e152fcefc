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
  const { redis, journal, log } = parts;
  const moments = new Map<number, number>();
  const moved = new Set<number>(ALL_SHARDS);
  const pause = new Pause();
  let readMs = Number.NEGATIVE_INFINITY;
  let checkMs = 0;
  const watch = await watchLog(parts.pubSub, (shard) => {
    moved.add(shard);
    pause.endBy(readMs + GAP_MS);
  });

  /** Shards that are being worked on, or whose server has just failed: nobody waits for one to look at the others. */
  const busy = new Map<number, Promise<void>>();
  let warnedMs = Number.NEGATIVE_INFINITY;
  const workOn = async (shard: number, work: (shard: number) => Promise<void>): Promise<void> => {
    try {
      await work(shard);
    } catch (err) {
      moved.add(shard);
      if (performance.now() - warnedMs >= RETRY_MS)
        log.warn({ err, shard }, 'a sweep failed; it is repeated');
      warnedMs = performance.now();
      await sleep(RETRY_MS, undefined, { ref: false });
    } finally {
      busy.delete(shard);
      pause.endBy(readMs + GAP_MS);
    }
  };
  /** Works on each of these shards; resolves when all are done, or have not answered for a moment. */
  const forEach = async (
    shards: readonly number[],
    work: (shard: number) => Promise<void>,
  ): Promise<void> => {
    for (const shard of shards) busy.set(shard, workOn(shard, work));
    await withinMs(Promise.all(shards.map((shard) => busy.get(shard))), GAP_MS);
  };

  const readMoments = async (): Promise<void> => {
    const nowMs = performance.now();
    const wanted = nowMs >= checkMs ? ALL_SHARDS : [...moved];
    const shards = wanted.filter((shard) => !busy.has(shard));
    if (nowMs >= checkMs) checkMs = nowMs + CHECK_MS;
    if (shards.length === 0) return;
    readMs = nowMs;
    for (const shard of shards) moved.delete(shard);
    await forEach(shards, async (shard) => {
      const us = await nextMoment(redis, shard);
      if (us === null) moments.delete(shard);
      else moments.set(shard, us);
    });
  };

  const pass = async (): Promise<void> => {
    await readMoments();
    const nowUs = journal.nowUs();
    const due = [...moments].filter(([shard, us]) => us <= nowUs && !busy.has(shard)).map(([shard]) => shard);
    let changed = 0;
    await forEach(due, async (shard) => {
      changed += await sweepShards(parts, [shard]);
      moved.add(shard);
    });
    if (changed > 0) return;
    const waiting = [...moments].filter(([shard]) => !busy.has(shard)).map(([, us]) => us);
    const firstMs = performance.now() + Math.ceil((Math.min(...waiting) - nowUs) / 1_000);
    const againMs = readMs + GAP_MS;
    const isMoved = [...moved].some((shard) => !busy.has(shard));
    await pause.until(isMoved ? againMs : Math.min(checkMs, firstMs));
  };

  const done = (async () => {
    while (!pause.isOver) await pass();
  })();
  return {
    async close() {
      pause.endForGood();
      await watch.close();
      await done;
      await withinMs(Promise.all(busy.values()), LEAVE_MS);
    },
  };
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
  { redis, journal, engine, onClosed }: SweepParts,
  shards: readonly number[],
): Promise<number> {
  const nowUs = journal.nowUs();
  const due = (await Promise.all(shards.map((shard) => dueLots(redis, shard, nowUs, AT_ONCE)))).flat();
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
