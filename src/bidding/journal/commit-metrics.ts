/**
 * The journal's commits for Prometheus. Each process counts from its first moment; a web or worker process shows the
 * figures in its registry.
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { CommitFigures } from '../../../adapters/redis/commit-call.ts';

export class CommitMetrics {
  readonly #seconds = new Histogram({
    name: 'rostrum_commit_seconds',
    help: 'From the call of the commit script to its reply; one call commits the ready lots of a shard.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5],
    registers: [],
  });
  readonly #batches = new Histogram({
    name: 'rostrum_commit_batch_size',
    help: 'Lots that went into one call of the commit script.',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000],
    registers: [],
  });
  readonly #conflicts = new Counter({
    name: 'rostrum_commit_conflicts_total',
    help: 'Batches that were decided again because another process had committed to the lot first.',
    registers: [],
  });

  readonly count = ({ seconds, batches, conflicts }: CommitFigures): void => {
    this.#seconds.observe(seconds);
    this.#batches.observe(batches);
    if (conflicts > 0) this.#conflicts.inc(conflicts);
  };

  showIn(registry: Registry): void {
    for (const metric of [this.#seconds, this.#batches, this.#conflicts]) registry.registerMetric(metric);
  }
}
