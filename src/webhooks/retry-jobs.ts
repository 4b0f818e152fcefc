/**
 * Retry jobs that deliveries of a subscription are due, as delayed jobs: whichever worker is free takes one. They only
 * save polling: what is due is in Postgres, and a sweep finds what no retry job came for. Many tries of one moment
 * share a retry job.
 */
import type { QueueAddress } from '../../adapters/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../adapters/queue/queue.ts';

export const RETRY_QUEUE = 'webhook-tries';

export interface RetryJob {
  readonly subscriptionId: number;
}

export interface RetryJobs {
  readonly queue: WorkQueue<RetryJob | null>;
  /** Schedules the deliveries of a subscription. Returns at once. */
  scheduleRetry(subscriptionId: number, inMs?: number): void;
  close(): Promise<void>;
}

/** Tries that are due within one such step share a retry job. */
const STEP_MS = 250;

export function openRetryJobs(address: QueueAddress, onError: (error: Error) => void): RetryJobs {
  const queue = openQueue<RetryJob | null>(address, RETRY_QUEUE, onError);
  return {
    queue,
    scheduleRetry(subscriptionId, inMs = 0) {
      const step = Math.ceil((Date.now() + inMs) / STEP_MS);
      const delayMs = inMs === 0 ? 0 : Math.max(0, step * STEP_MS - Date.now());
      const options = inMs === 0 ? {} : { id: `due-${subscriptionId}-${step}`, delayMs };
      queue.add('due', { subscriptionId }, options).catch(onError);
    },
    close: () => queue.close(),
  };
}
