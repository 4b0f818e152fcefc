/**
 * Opens and closes lots when their time has come. Every worker sweeps all shards that have lots; sending the command to
 * a lot that is not due, or that another worker has just closed, changes nothing, so nobody has to agree on who does
 * what.
 */
import { dueLots, nextMoments } from '../../../adapters/redis/due.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { watchLog } from '../../../adapters/redis/log-watch.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { ALL_SHARDS } from '../../../adapters/redis/shards.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { itemAt } from '../../../engine/first-of.ts';
import type { Log } from '../../shared/log.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';
import { Pause } from './pause.ts';

export interface Sweep {
  /** Ends after the current pass. */
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

  const readMoments = async (): Promise<void> => {
    const nowMs = performance.now();
    const shards = nowMs >= checkMs ? ALL_SHARDS : [...moved];
    if (shards.length === 0) return;
    if (nowMs >= checkMs) checkMs = nowMs + CHECK_MS;
    readMs = nowMs;
    moved.clear();
    const found = await nextMoments(redis, shards).catch((error: unknown) => {
      for (const shard of shards) moved.add(shard);
      throw error;
    });
    for (const shard of shards) {
      const us = found.get(shard);
      if (us === undefined) moments.delete(shard);
      else moments.set(shard, us);
    }
  };

  const pass = async (): Promise<void> => {
    await readMoments();
    const nowUs = journal.nowUs();
    const due = [...moments].filter(([, us]) => us <= nowUs).map(([shard]) => shard);
    const changed = due.length === 0 ? 0 : await sweepShards(parts, due);
    for (const shard of due) moved.add(shard);
    if (changed > 0) return;
    const firstMs = performance.now() + Math.ceil((Math.min(...moments.values()) - nowUs) / 1_000);
    const againMs = readMs + GAP_MS;
    await pause.until(moved.size > 0 ? againMs : Math.min(checkMs, firstMs));
  };

  const done = (async () => {
    while (!pause.isOver) {
      try {
        await pass();
      } catch (err) {
        log.warn({ err }, 'a sweep failed; it is repeated');
        await pause.until(performance.now() + RETRY_MS);
      }
    }
  })();
  return {
    async close() {
      pause.endForGood();
      await watch.close();
      await done;
    },
  };
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
    if (isOver) onClosed?.(Math.max(0, journal.nowUs() - endsAtUs) / 1_000_000);
  });
  return changed;
}
