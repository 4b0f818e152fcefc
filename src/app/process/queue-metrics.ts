/** How much waits in each queue, for Prometheus. The queues are opened by the first scrape. */
import pTimeout from 'p-timeout';
import { Gauge, type Registry } from 'prom-client';
import type { QueueAddress } from '../../../adapters/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../../adapters/queue/queue.ts';
import { QUEUES } from './queue-address.ts';

/** A scrape does not wait longer; it gets the last figure. */
const PATIENCE_MS = 500;

/** Shows the depths, which every process reads alike. Returns what closes the queues. */
export function queueMetrics(registry: Registry, address: QueueAddress): () => Promise<void> {
  let queues: WorkQueue<unknown>[] = [];
  new Gauge({
    name: 'rostrum_queue_depth',
    help: 'Jobs of a queue that are due or running.',
    labelNames: ['queue'] as const,
    registers: [registry],
    aggregator: 'max',
    async collect() {
      if (queues.length === 0) queues = QUEUES.map((name) => openQueue<unknown>(address, name));
      const counts = Promise.all(queues.map((queue) => queue.counts()));
      const found = await pTimeout(counts, { milliseconds: PATIENCE_MS, fallback: () => null }).catch(
        () => null,
      );
      found?.forEach(({ waiting = 0, active = 0 }, index) => {
        this.set({ queue: QUEUES[index] ?? '' }, waiting + active);
      });
    },
  });
  return async () => {
    await Promise.all(queues.map((queue) => queue.close()));
  };
}
