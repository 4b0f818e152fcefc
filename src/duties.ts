/** The worker's duties, each started here and ended in the opposite order. */
import type { Registry } from 'prom-client';
import { publishPending } from './auctions/publishing.ts';
import { startSweep } from './closing/sweep.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { Platform } from './platform.ts';

export interface Duties {
  close(): Promise<void>;
}

const PUBLISH_EVERY_MS = 2_000;

/** Starts everything that a worker does. */
export async function startDuties(
  _config: Config,
  platform: Platform,
  _metrics: Registry,
  log: Log,
): Promise<Duties> {
  const sweep = startSweep({ ...platform, log });
  const publishing = repeat(() => publishPending(platform), PUBLISH_EVERY_MS, log, 'publishing');
  return {
    async close() {
      await publishing.close();
      await sweep.close();
    },
  };
}

/** Does `work` again and again, never twice at once; what fails is told once and tried again. */
export function repeat(work: () => Promise<unknown>, everyMs: number, log: Log, name: string): Duties {
  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  let failing = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = work()
      .then(
        () => {
          failing = false;
        },
        (err: unknown) => {
          if (!failing) log.warn({ err }, `${name} failed; it is repeated`);
          failing = true;
        },
      )
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
