/**
 * What staff should see at once: money that came and that no invoice took. Read from the database whenever the figures
 * are read.
 */
import type { Knex } from 'knex';
import { Gauge, type Registry } from 'prom-client';
import { Payment } from '../invoices/payment.model.ts';
import { MoneyTry } from '../payments/money-tries.ts';

/** Adds the figures to a registry. While Postgres is unavailable they stay as they were. */
export function paymentMetrics(registry: Registry, knex: Knex): void {
  countOf(
    registry,
    'rostrum_payments_unallocated',
    'Payments that matched no open invoice and have not been allocated or refunded yet',
    () => Payment.query(knex).where('status', 'unallocated').resultSize(),
  );
  countOf(
    registry,
    'rostrum_money_set_aside',
    'Invoices, and payments for none, whose money could not be returned after ten tries',
    () => MoneyTry.query(knex).whereNotNull('set_aside_at').resultSize(),
  );
}

function countOf(registry: Registry, name: string, help: string, count: () => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    // Every process reads the same rows: the figure is not to be added up over processes.
    aggregator: 'max',
    async collect() {
      const found = await count().catch(() => null);
      if (found !== null) gauge.set(found);
    },
  });
}
