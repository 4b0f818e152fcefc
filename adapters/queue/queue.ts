/**
 * Queues of work that may wait and may be done twice: BullMQ with bounded retries and bounded memory of what was
 * done. Producers open a queue; consumers start a worker (`worker.ts`).
 */
import { type Job, type JobsOptions, Queue } from 'bullmq';
import pTimeout from 'p-timeout';
import { connectionTo, type QueueAddress } from './connection.ts';

export interface WorkOptions {
  /** The same id is in the queue only once, until it is done. No colons. */
  readonly id?: string;
  readonly delayMs?: number;
  /** How often it is tried in all; default 10. */
  readonly attempts?: number;
}

export interface WorkQueue<T> {
  readonly name: string;
  /** Puts work in. Waits for Redis where that is unavailable. */
  add(name: string, data: T, options?: WorkOptions): Promise<void>;
  addMany(works: readonly { name: string; data: T; options?: WorkOptions }[]): Promise<void>;
  /**
   * Has `name` done every so often, by one worker at a time; calling it again only makes sure of it. A call that is
   * cut off by closing resolves.
   */
  every(name: string, everyMs: number, data: T): Promise<void>;
  /** Keeps only the repeated jobs `names`: those of another release end. */
  endOthers(names: readonly string[]): Promise<void>;
  /** The oldest jobs that failed for good, and how many there are. */
  failed(limit: number): Promise<{ readonly rows: readonly FailedJob[]; readonly total: number }>;
  /** One of them; null where there is none of this id, or it has not failed. */
  failedJob(id: string): Promise<FailedJob | null>;
  /** Has a failed job done again. */
  retry(id: string): Promise<void>;
  /** Forgets a failed job. */
  discard(id: string): Promise<void>;
  /** Jobs by state: `waiting`, `active`, `delayed`, `failed`. */
  counts(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** A job that is not tried again by itself. */
export interface FailedJob {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly failedAt: string;
}

const ATTEMPTS = 10;
const BACKOFF_MS = 500;
const KEEP_FAILED = 1_000;
const FAREWELL_MS = 1_000;

/** Opens a queue. `onError` is called for a lost connection; nothing has to be done about it. */
export function openQueue<T>(
  address: QueueAddress,
  name: string,
  onError: (error: Error) => void = () => {},
): WorkQueue<T> {
  const queue = new Queue(name, {
    connection: connectionTo(address),
    prefix: address.prefix,
    defaultJobOptions: {
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: BACKOFF_MS },
      removeOnComplete: true,
      removeOnFail: { count: KEEP_FAILED },
    },
  });
  queue.on('error', onError);
  let closing = false;
  /** A call that closing cuts off returns as nothing, on which the library fails. */
  const unlessClosing = async (call: () => Promise<unknown>): Promise<void> => {
    try {
      await call();
    } catch (error) {
      if (!closing) throw error;
    }
  };
  return {
    name,
    async add(job, data, options = {}) {
      await queue.add(job, data, jobOptions(options));
    },
    async addMany(works) {
      await queue.addBulk(
        works.map((work) => ({ name: work.name, data: work.data, opts: jobOptions(work.options ?? {}) })),
      );
    },
    async every(job, everyMs, data) {
      // A round that failed is not retried: the next one comes anyway.
      const opts = { attempts: 1, removeOnFail: { count: 10 } };
      await unlessClosing(() => queue.upsertJobScheduler(job, { every: everyMs }, { name: job, data, opts }));
    },
    endOthers: (names) =>
      unlessClosing(async () => {
        const schedulers = await queue.getJobSchedulers();
        for (const { key } of schedulers) if (!names.includes(key)) await queue.removeJobScheduler(key);
      }),
    async failed(limit) {
      const [jobs, { failed: total = 0 }] = await Promise.all([
        queue.getJobs('failed', 0, limit - 1, true),
        queue.getJobCounts('failed'),
      ]);
      return { rows: jobs.map(failedOf), total };
    },
    async failedJob(id) {
      const job = await queue.getJob(id);
      return job !== undefined && (await job.isFailed()) ? failedOf(job) : null;
    },
    async retry(id) {
      await (await queue.getJob(id))?.retry('failed');
    },
    async discard(id) {
      await (await queue.getJob(id))?.remove();
    },
    counts: () => queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    close() {
      closing = true;
      return closeSoon(queue);
    },
  };
}

/** The library would wait for a connection that has just been lost; nothing depends on closing it properly. */
async function closeSoon(queue: Queue): Promise<void> {
  await pTimeout(queue.close(), {
    milliseconds: FAREWELL_MS,
    fallback: () => void queue.disconnect().catch(() => undefined),
  });
}

function failedOf(job: Job): FailedJob {
  const { id = '', name, failedReason, attemptsMade, finishedOn, timestamp } = job;
  const failedAt = new Date(finishedOn ?? timestamp).toISOString();
  return { id, name, reason: failedReason ?? '', attempts: attemptsMade, failedAt };
}

function jobOptions({ id, delayMs, attempts }: WorkOptions): JobsOptions {
  return {
    ...(id === undefined ? {} : { jobId: id }),
    ...(delayMs === undefined ? {} : { delay: delayMs }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}
