/** The projection's figures for Prometheus. */
import type { Knex } from 'knex';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProjectionMetrics } from './projection.ts';
import { countFailures } from './set-aside.ts';

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

/** Counts what is set aside, whenever it is asked; the last count stands while Postgres is unavailable. */
export function failureMetrics(registry: Registry, knex: Knex): void {
  new Gauge({
    name: 'rostrum_projection_failures',
    help: 'Lots, auctions and bidders of which Postgres refused an entry; it waits with all that follows on it',
    registers: [registry],
    async collect() {
      const count = await countFailures(knex).catch(() => null);
      if (count !== null) this.set(count);
    },
  });
}
