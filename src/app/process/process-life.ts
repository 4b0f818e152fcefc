/**
 * How a process of ours ends: SIGTERM, Ctrl-C, or the end of the parent that started it, and always within ten
 * seconds. Under `start` a child leaves Ctrl-C to its parent, which stops everything in order; one whose parent was
 * killed has less time, because the embedded servers go at the same moment.
 */

import type { Registry } from 'prom-client';
import type { Log } from '../../shared/log.ts';
import { wasStartedAsChild } from '../config/config.ts';

export const DEADLINE_MS = 9_500;
const ORPHAN_DEADLINE_MS = 4_000;

/** Whether this process was started by `start`. A process manager or test runner may have a channel to it as well. */
export function isChild(): boolean {
  return process.send !== undefined && wasStartedAsChild();
}

/**
 * Calls `stop` once when the process is told to stop, then exits: 0 when it went well, 1 when it failed or took too
 * long.
 */
export function endWith(stop: () => Promise<void>, log: Log): void {
  let ending = false;
  const end = (why: string, deadlineMs = DEADLINE_MS) => {
    if (ending) return;
    ending = true;
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(1), deadlineMs).unref();
    stop().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => {
    if (!isChild()) end('SIGINT');
  });
  if (isChild()) process.on('disconnect', () => end('the parent is gone', ORPHAN_DEADLINE_MS));
}

/** Notifies the parent process, if there is one. */
export function sendToParent(message: ChildMessage): void {
  if (isChild()) process.send?.(message);
}

export type ChildMessage =
  | { readonly ready: 'web'; readonly url: string }
  | { readonly ready: 'worker' }
  | MetricsMessage;

/** The metrics of one process. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What children and their parent say to each other about metrics; each names the question. */
export type MetricsMessage =
  | { readonly metricsOfAll: string }
  | { readonly metricsWanted: string }
  | { readonly metrics: string; readonly figures: Figures }
  | { readonly metricsFound: string; readonly all: readonly Figures[] };
