/**
 * Opens and closes lots when their time has come. Every worker sweeps all shards; asking a lot that is not due, or that
 * another worker has just closed, changes nothing, so nobody has to agree on who does what.
 */
import { dueLots } from '../../../adapters/redis/due.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { Log } from '../../shared/log.ts';

export interface Sweep {
  /** Ends after the round in hand. */
  close(): Promise<void>;
}

export interface SweepParts {
  readonly redis: OpenLink;
  readonly journal: Journal;
  readonly engine: Engine;
  /** Told of each lot that this sweep has closed: the seconds from its end to now. */
  readonly onClosed?: (seconds: number) => void;
  readonly log: Log;
}

const IDLE_MS = 50;
const TROUBLE_MS = 250;
const AT_ONCE = 1_000;

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
    while (running) {
      try {
        const found = await sweepOnce(parts);
        if (found === 0) await pause(IDLE_MS);
      } catch (err) {
        parts.log.warn({ err }, 'a sweep failed; it is repeated');
        await pause(TROUBLE_MS);
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

/** One round over all shards: gives the number of lots that changed. */
export async function sweepOnce({ redis, journal, engine, onClosed }: SweepParts): Promise<number> {
  const nowUs = journal.nowUs();
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
  const due = (await Promise.all(shards.map((shard) => dueLots(redis, shard, nowUs, AT_ONCE)))).flat();
  const replies = await Promise.all(due.map((state) => engine.submitTo(state, { type: 'advance' })));
  let changed = 0;
  replies.forEach((reply, index) => {
    if (reply.kind !== 'answer' || reply.answer.kind !== 'done' || !reply.answer.changed) return;
    changed += 1;
    const { endsAtUs } = due[index]!;
    const isOver = reply.answer.status !== 'active' && reply.answer.status !== 'scheduled';
    if (isOver) onClosed?.(Math.max(0, journal.nowUs() - endsAtUs) / 1_000_000);
  });
  return changed;
}
