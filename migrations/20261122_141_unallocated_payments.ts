/**
 * Payments that no invoice took: unallocated until somebody allocates or refunds them. Each payment knows how much of it went
 * back, so that never more goes back than came, whoever asks for it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments DROP CONSTRAINT payments_status_check;
    UPDATE payments SET status = 'unallocated' WHERE status = 'unapplied';
    ALTER TABLE payments
      ADD CONSTRAINT payments_status_check CHECK (status IN ('applied', 'failed', 'unallocated', 'refunded')),
      ADD COLUMN refunded_cents bigint NOT NULL DEFAULT 0
        CONSTRAINT payments_refunded_cents_check CHECK (refunded_cents BETWEEN 0 AND amount_cents);
    CREATE INDEX payments_unallocated ON payments (id) WHERE status = 'unallocated';
    ALTER TABLE refunds DROP CONSTRAINT refunds_status_check;
    UPDATE refunds SET status = 'unallocated' WHERE status = 'unapplied';
    ALTER TABLE refunds
      ADD CONSTRAINT refunds_status_check CHECK (status IN ('applied', 'pending', 'unallocated'));
    WITH spread AS (
      SELECT p.id, p.amount_cents, i.amount_refunded_cents - coalesce(sum(p.amount_cents) OVER (
        PARTITION BY p.invoice_id ORDER BY p.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS left_cents
      FROM payments p JOIN invoices i ON i.id = p.invoice_id
      WHERE p.status = 'applied' AND i.amount_refunded_cents > 0)
    UPDATE payments p SET refunded_cents = least(s.amount_cents, greatest(0, s.left_cents))
      FROM spread s WHERE s.id = p.id;
    UPDATE payments p SET refunded_cents = least(p.amount_cents, r.cents),
        status = CASE WHEN r.cents >= p.amount_cents THEN 'refunded' ELSE p.status END
      FROM (SELECT charge_id, sum(amount_cents) AS cents FROM refunds WHERE status = 'unallocated'
        GROUP BY charge_id) r
      WHERE p.status = 'unallocated' AND r.charge_id = p.payment_id;
    UPDATE invoices SET amount_paid_cents = amount_refunded_cents WHERE status = 'voided';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE refunds DROP CONSTRAINT refunds_status_check;
    UPDATE refunds SET status = 'unapplied' WHERE status = 'unallocated';
    ALTER TABLE refunds ADD CONSTRAINT refunds_status_check CHECK (status IN ('applied', 'pending', 'unapplied'));
    DROP INDEX payments_unallocated;
    ALTER TABLE payments DROP CONSTRAINT payments_status_check, DROP COLUMN refunded_cents;
    UPDATE payments SET status = 'unapplied' WHERE status IN ('unallocated', 'refunded');
    ALTER TABLE payments
      ADD CONSTRAINT payments_status_check CHECK (status IN ('applied', 'failed', 'unapplied'));
  `);
}
