/**
 * Opens and closes lots when their time has come. Every worker sweeps all shards that have lots; sending the command to
 * a lot that is not due, or that another worker has just closed, changes nothing, so nobody has to agree on who does
 * what.
 */
import { dueLots, shardsWithLots } from '../../../adapters/redis/due.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { itemAt } from '../../../engine/first-of.ts';
import type { Log } from '../../shared/log.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';

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

const IDLE_MS = 50;
const RETRY_MS = 250;
const AT_ONCE = 1_000;
/** Reading every shard in every round was a thousand commands a second for nothing. */
const CHECK_MS = 1_000;

/** Sweeps until closed. */
export function startSweep(parts: SweepParts): Sweep {
  let running = true;
  let wake: () => void = () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const done = (async () => {
    let shards: readonly number[] = [];
    let checkMs = 0;
    while (running) {
      try {
        if (performance.now() >= checkMs) {
          shards = await shardsWithLots(parts.redis);
          checkMs = performance.now() + CHECK_MS;
        }
        const found = await sweepShards(parts, shards);
        if (found === 0) await pause(IDLE_MS);
      } catch (err) {
        parts.log.warn({ err }, 'a sweep failed; it is repeated');
        await pause(RETRY_MS);
      }
    }
  })();
  return {
    async close() {
      running = false;
      wake();
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
