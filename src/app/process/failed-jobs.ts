/** Jobs of all queues that failed for good, for the office. The queues are opened when somebody first looks. */
import type { QueueAddress } from '../../../adapters/queue/connection.ts';
import { type FailedJob, openQueue, type WorkQueue } from '../../../adapters/queue/queue.ts';
import type { FailedJobs } from '../../pages/office/queue-work.ts';
import { QUEUES } from './queue-address.ts';

export interface OpenFailedJobs extends FailedJobs {
  close(): Promise<void>;
}

/** An id here is the queue's name and the job's own. */
const idOf = (queue: string, { id }: FailedJob) => `${queue}:${id}`;

/** Each method rejects while Redis is unavailable. */
export function failedJobs(address: QueueAddress): OpenFailedJobs {
  let opened: ReadonlyMap<string, WorkQueue<unknown>> | null = null;
  const queues = () => {
    opened ??= new Map(QUEUES.map((name) => [name, openQueue<unknown>(address, name)]));
    return opened;
  };
  const split = (id: string) => {
    const at = id.indexOf(':');
    return { queue: queues().get(id.slice(0, at)), job: id.slice(at + 1) };
  };
  return {
    async list(limit) {
      const read = await Promise.all(
        [...queues()].map(async ([name, queue]) => ({ name, ...(await queue.failed(limit)) })),
      );
      const rows = read
        .flatMap(({ name, rows: own }) => own.map((job) => ({ ...job, id: idOf(name, job), queue: name })))
        .toSorted((a, b) => a.failedAt.localeCompare(b.failedAt))
        .slice(0, limit);
      return { rows, total: read.reduce((sum, { total }) => sum + total, 0) };
    },
    async find(id) {
      const { queue, job } = split(id);
      const found = (await queue?.failedJob(job)) ?? null;
      return found === null ? null : { ...found, id, queue: queue?.name ?? '' };
    },
    async retry(id) {
      const { queue, job } = split(id);
      await queue?.retry(job);
    },
    async discard(id) {
      const { queue, job } = split(id);
      await queue?.discard(job);
    },
    async close() {
      await Promise.all([...(opened?.values() ?? [])].map((queue) => queue.close()));
    },
  };
}
