/**
 * Runs the jobs of a queue, at least once: the jobs of a killed process are taken over by another within seconds.
 * Closing starts no more and waits for running jobs, but only a few seconds: a process must end within ten, and a job
 * may hang on a provider or a store. Such a job is taken over by another process, too.
 */
import { type Job, Worker } from 'bullmq';
import pTimeout from 'p-timeout';
import { connectionTo, type QueueAddress } from './connection.ts';

/** Work as its handler sees it. */
export interface Work<T> {
  readonly id: string;
  readonly data: T;
  /** From 1. */
  readonly attempt: number;
}

export interface WorkerOptions<T> {
  /** By the work's name. Throwing has it retried later, as often as the queue says. */
  readonly handlers: Readonly<Record<string, (work: Work<T>) => Promise<void>>>;
  /** How much is done at once; default 1. */
  readonly concurrency?: number;
  /** How long closing waits for running jobs; default 3 s. */
  readonly leaveMs?: number;
  /** Called with failures of jobs, and of the connection. */
  readonly onError: (error: Error, what: { readonly name?: string; readonly attempt?: number }) => void;
}

export interface QueueWorker {
  /** Ends when the running jobs are done, or have had `leaveMs`. */
  close(): Promise<void>;
}

/** A worker renews its hold on a job this often; after as long a silence the hold is lost. */
const LOCK_MS = 5_000;

export function startQueueWorker<T>(
  address: QueueAddress,
  queue: string,
  options: WorkerOptions<T>,
): QueueWorker {
  let inHand = 0;
  const worker = new Worker(
    queue,
    async (job: Job<T>) => {
      const handle = options.handlers[job.name];
      if (handle === undefined) throw new Error(`there is no handler for the job "${job.name}"`);
      inHand += 1;
      try {
        await handle({ id: job.id ?? '', data: job.data, attempt: job.attemptsMade + 1 });
      } finally {
        inHand -= 1;
      }
    },
    {
      connection: connectionTo(address),
      prefix: address.prefix,
      concurrency: options.concurrency ?? 1,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      maxStalledCount: 3,
    },
  );
  worker.on('error', (error) => options.onError(error, {}));
  worker.on('failed', (job, error) =>
    options.onError(error, job === undefined ? {} : { name: job.name, attempt: job.attemptsMade }),
  );
  return { close: () => closeIdle(worker, () => inHand > 0, options.leaveMs ?? LEAVE_MS) };
}

const LEAVE_MS = 3_000;
/** How long disconnecting from Redis may take once the running jobs are done. */
const STOP_MS = 1_500;

/** The library would wait for ever for a connection that was just cut; only running jobs are waited for here. */
async function closeIdle(worker: Worker, isBusy: () => boolean, leaveMs: number): Promise<void> {
  const endMs = performance.now() + leaveMs;
  let open = true;
  const closing = worker.close().finally(() => {
    open = false;
  });
  let leftMs = STOP_MS;
  while (open && leftMs > 0) {
    await pTimeout(closing, { milliseconds: STOP_MS / 10, fallback: () => undefined });
    if (!isBusy()) leftMs -= STOP_MS / 10;
    else if (performance.now() < endMs) leftMs = STOP_MS;
    else break;
  }
  if (!open) return;
  closing.catch(() => undefined);
  worker.disconnect().catch(() => undefined);
}
