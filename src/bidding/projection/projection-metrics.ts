/** The projection's figures for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProjectionMetrics } from './projection.ts';

export function projectionMetrics(registry: Registry): ProjectionMetrics {
  const entries = new Gauge({
    name: 'rostrum_projection_lag_entries',
    help: 'Messages of the journal that are not in Postgres yet, over all shards',
    registers: [registry],
  });
  const seconds = new Gauge({
    name: 'rostrum_projection_lag_seconds',
    help: 'Age of the oldest message of the journal that is not in Postgres yet',
    registers: [registry],
  });
  const projected = new Counter({
    name: 'rostrum_projection_entries_total',
    help: 'Journal entries that this process has written to Postgres',
    registers: [registry],
  });
  return {
    lag(lag) {
      entries.set(lag.entries);
      seconds.set(lag.seconds);
    },
    projected: (count) => projected.inc(count),
  };
}
