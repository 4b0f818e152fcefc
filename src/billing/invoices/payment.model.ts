/**
 * Payments and the provider's events about them. A payment failed, or came and is on its invoice (applied), on none
 * (unallocated) or back with its payer (refunded); the figures are sums over the ledger, kept by the database. `id` is
 * ours, `payment_id` the provider's.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type QueryBuilder, raw } from 'objection';
import { belongsTo, SQL_ARRAY, shapedBy } from '../../../adapters/postgres/model.ts';
import { JsonObject, oneOf, orNull } from '../../shared/fields.schema.ts';
import { Invoice } from './invoice.model.ts';

export const PAYMENT_STATUSES = ['applied', 'failed', 'unallocated', 'refunded'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const PaymentColumns = Type.Object({
  id: Type.Integer(),
  payment_id: Type.String(),
  charge_id: orNull(Type.String(), { description: 'The provider’s other name of it.' }),
  invoice_id: orNull(Type.Integer(), { description: 'The invoice that it was meant for.' }),
  provider: Type.String(),
  status: oneOf(PAYMENT_STATUSES),
  amount_cents: Type.Integer(),
  refunded_cents: Type.Integer(),
  unallocated_cents: Type.Integer({ description: 'What no invoice has taken.' }),
  left_cents: Type.Integer({ description: 'What can still be sent back.' }),
  disputed_cents: Type.Integer({ description: 'What the provider withholds while it is disputed.' }),
  currency: Type.String(),
  created_at: Type.String(),
});

export class Payment extends shapedBy('payments', PaymentColumns) {
  declare invoice?: Invoice | null;

  static override relationMappings = () => ({
    invoice: belongsTo(Invoice, 'payments.invoice_id'),
  });
}

const PaymentEventColumns = Type.Object({
  event_id: Type.String({ description: 'The provider’s: each event counts once.' }),
  type: Type.String(),
  status: Type.String(),
  code: orNull(Type.String()),
  body: JsonObject,
  waits_for: orNull(Type.Array(Type.String(), SQL_ARRAY), {
    description: 'The names of the payment that a pending event belongs to.',
  }),
  received_at: Type.String(),
});

/** An authentic event as received, and its outcome. */
export class PaymentEventRow extends shapedBy('payment_events', PaymentEventColumns, 'event_id') {}

const ShareColumns = Type.Object({
  id: Type.Integer(),
  payment_id: Type.Integer(),
  invoice_id: Type.Integer(),
  cents: Type.Integer({ description: 'Disputed or not; what was lost by a dispute is off.' }),
});

/** What of a payment is on an invoice: a view of the postings. Those for several invoices have several. */
export class PaymentShare extends shapedBy('payment_shares', ShareColumns) {
  declare payment?: Payment;

  static override relationMappings = () => ({
    payment: belongsTo(Payment, 'payment_shares.payment_id'),
  });
}

/** SQL: what the provider withholds of the money of the invoice of the query around it. */
export const DISPUTED_SQL = `(SELECT coalesce(sum(least(s.cents, y.disputed_cents)), 0)::bigint FROM payment_shares s
  JOIN payments y ON y.id = s.payment_id WHERE s.invoice_id = invoices.id)`;

/** The payments of the invoice of the query around it of which the provider withholds something. */
export function disputedPayments() {
  const share = PaymentShare.query()
    .whereColumn('payment_shares.payment_id', 'payments.id')
    .whereColumn('payment_shares.invoice_id', 'invoices.id');
  return Payment.query()
    .where('disputed_cents', '>', 0)
    .where((its) => its.whereColumn('payments.invoice_id', 'invoices.id').orWhereExists(share));
}

/** Invoices with `is_disputed`: whether their payer disputes a payment now. */
export function withDispute<R>(invoices: QueryBuilder<Invoice, R>) {
  return invoices.select('invoices.*', raw('exists (?) AS is_disputed', [disputedPayments().select('id')]));
}

/** The invoices that a payment is on, in the order in which they took it, and last the one that it was meant for. */
export async function invoicesOfPayment(knex: Knex, payment: Payment): Promise<Invoice[]> {
  const shares = await PaymentShare.query(knex).where('payment_id', payment.id).orderBy('id');
  const ids = new Set(shares.map(({ invoice_id }) => invoice_id));
  if (payment.invoice_id !== null) ids.add(payment.invoice_id);
  const rows = await Invoice.query(knex).whereIn('id', [...ids]);
  return [...ids].flatMap((id) => rows.find((row) => row.id === id) ?? []);
}
