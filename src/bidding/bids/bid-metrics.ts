/** Bids and the lots that are resident for them, for Prometheus: read from the engine whenever they are scraped. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Engine } from '../../../engine/actor/engine.ts';

export function bidMetrics(registry: Registry, engine: Pick<Engine, 'bids' | 'residentLots'>): void {
  new Counter({
    name: 'rostrum_bids_total',
    help: 'Bids by outcome, refusal code and channel.',
    labelNames: ['outcome', 'code', 'channel'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const { outcome, code, channel, count } of engine.bids.all())
        this.inc({ outcome, code, channel }, count);
    },
  });
  new Gauge({
    name: 'rostrum_lots_resident',
    help: 'Lots whose actors this process holds in memory.',
    registers: [registry],
    collect() {
      this.set(engine.residentLots);
    },
  });
}
