/**
 * What staff should see at once: money that came and that no invoice took. Read from the database whenever the figures
 * are read.
 */
import type { Knex } from 'knex';
import { Gauge, type Registry } from 'prom-client';
import { Payment } from '../invoices/payment.model.ts';

/** Adds the figures to a registry. While Postgres is unavailable they stay as they were. */
export function paymentMetrics(registry: Registry, knex: Knex): void {
  const gauge = new Gauge({
    name: 'rostrum_payments_unallocated',
    help: 'Payments that matched no open invoice and have not been allocated or refunded yet',
    registers: [registry],
    // Every process reads the same rows: the figure is not to be added up over processes.
    aggregator: 'max',
    async collect() {
      const count = await Payment.query(knex)
        .where('status', 'unallocated')
        .resultSize()
        .catch(() => null);
      if (count !== null) gauge.set(count);
    },
  });
}
