/**
 * The projection’s figures for Prometheus. Every process reads the same lag and failures: over processes the largest
 * counts.
 */
import type { Knex } from 'knex';
import pTimeout from 'p-timeout';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProjectionLag } from './lag.ts';
import { countFailures } from './set-aside.ts';

export interface LagParts {
  readonly knex: Knex;
  readonly readLag: () => Promise<ProjectionLag>;
}

/** A scrape does not wait longer for a figure; it gets the last one. */
const PATIENCE_MS = 500;

/** Shows lag and failures, and gives what counts the entries that this process has written. */
export function projectionMetrics(registry: Registry, parts: LagParts): (entries: number) => void {
  showLag(registry, parts);
  new Gauge({
    name: 'rostrum_projection_failures',
    help: 'Lots, auctions and bidders of which Postgres refused an entry; it is set aside with every later entry.',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      const count = await within(countFailures(parts.knex));
      if (count !== null) this.set(count);
    },
  });
  const projected = new Counter({
    name: 'rostrum_projection_entries_total',
    help: 'Journal entries that this process has written to Postgres.',
    registers: [registry],
  });
  return (entries) => projected.inc(entries);
}

function showLag(registry: Registry, { readLag }: LagParts): void {
  const entries = new Gauge({
    name: 'rostrum_projection_lag_entries',
    help: 'Messages of the journal that are not in Postgres yet, over all shards.',
    registers: [registry],
    aggregator: 'max',
  });
  new Gauge({
    name: 'rostrum_projection_lag_seconds',
    help: 'Age of the oldest message of the journal that is not in Postgres yet.',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      const lag = await within(readLag());
      if (lag === null) return;
      this.set(lag.seconds);
      entries.set(lag.entries);
    },
  });
}

function within<T>(read: Promise<T>): Promise<T | null> {
  return pTimeout(read, { milliseconds: PATIENCE_MS, fallback: () => null }).catch(() => null);
}
