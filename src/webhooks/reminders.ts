/**
 * Reminders that deliveries of a subscription are due, as delayed jobs: whichever worker is free takes one. They only save looking:
 * what is due stands in Postgres, and a sweep finds what no reminder came for. Many tries of one moment share a reminder.
 */
import type { QueuePlace } from '../../adapters/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../adapters/queue/queue.ts';

export const REMINDER_QUEUE = 'webhook-tries';

export interface Reminder {
  readonly subscriptionId: number;
}

export interface Reminders {
  readonly queue: WorkQueue<Reminder | null>;
  /** Has the deliveries of a subscription looked at in a while. Returns at once. */
  remind(subscriptionId: number, inMs?: number): void;
  close(): Promise<void>;
}

/** Tries that are due within one such step share a reminder. */
const STEP_MS = 250;

export function openReminders(place: QueuePlace, onError: (error: Error) => void): Reminders {
  const queue = openQueue<Reminder | null>(place, REMINDER_QUEUE, onError);
  return {
    queue,
    remind(subscriptionId, inMs = 0) {
      const step = Math.ceil((Date.now() + inMs) / STEP_MS);
      const delayMs = inMs === 0 ? 0 : Math.max(0, step * STEP_MS - Date.now());
      const options = inMs === 0 ? {} : { id: `due-${subscriptionId}-${step}`, delayMs };
      queue.add('due', { subscriptionId }, options).catch(onError);
    },
    close: () => queue.close(),
  };
}
