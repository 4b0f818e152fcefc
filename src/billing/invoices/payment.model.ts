/**
 * Payments and refunds as booked. A payment is applied to its invoice, failed, unallocated (for no open invoice) or
 * refunded (unallocated money that was returned); `refunded_cents` never exceeds the payment. `id` is ours,
 * `payment_id` the provider's.
 */
import { Type } from '@sinclair/typebox';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { JsonObject, oneOf, orNull } from '../../shared/fields.schema.ts';
import { Invoice } from './invoice.model.ts';

export const PAYMENT_STATUSES = ['applied', 'failed', 'unallocated', 'refunded'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const PaymentColumns = Type.Object({
  id: Type.Integer(),
  payment_id: Type.String(),
  invoice_id: orNull(Type.Integer(), { description: 'The invoice that it was meant for.' }),
  provider: Type.String(),
  status: oneOf(PAYMENT_STATUSES),
  amount_cents: Type.Integer(),
  refunded_cents: Type.Integer(),
  currency: Type.String(),
  created_at: Type.String(),
});

export class Payment extends shapedBy('payments', PaymentColumns) {
  declare invoice?: Invoice | null;

  static override relationMappings = () => ({
    invoice: belongsTo(Invoice, 'payments.invoice_id'),
  });
}

const RefundColumns = Type.Object({
  id: Type.Integer(),
  invoice_id: orNull(Type.Integer()),
  event_id: Type.String({ description: 'The event that requested it: each event counts once.' }),
  charge_id: Type.String(),
  status: oneOf(['applied', 'pending', 'unallocated']),
  amount_cents: Type.Integer(),
  created_at: Type.String(),
});

export class Refund extends shapedBy('refunds', RefundColumns) {}

const PaymentEventColumns = Type.Object({
  event_id: Type.String({ description: 'The provider’s: each event counts once.' }),
  type: Type.String(),
  status: Type.String(),
  code: orNull(Type.String()),
  body: JsonObject,
  received_at: Type.String(),
});

/** An authentic event as received, and its outcome. */
export class PaymentEventRow extends shapedBy('payment_events', PaymentEventColumns, 'event_id') {}
