/**
 * Payments and refunds as they are booked. A payment is applied to its invoice, failed, unallocated (money that no
 * invoice took) or refunded (unallocated money that went back); `refunded_cents` never exceeds what came. `id` is
 * ours, `payment_id` the provider's.
 */
import { Type } from '@sinclair/typebox';
import { Model } from 'objection';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { Invoice } from '../invoices/invoice.model.ts';

const oneOf = <const T extends string>(...values: T[]) =>
  Type.Union(values.map((value) => Type.Literal(value)));

const PaymentStatusSchema = oneOf('applied', 'failed', 'unallocated', 'refunded');
export type PaymentStatus = 'applied' | 'failed' | 'unallocated' | 'refunded';

const PaymentColumns = Type.Object({
  id: Type.Integer(),
  payment_id: Type.String(),
  invoice_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The one that it was meant for.' }),
  provider: Type.String(),
  status: PaymentStatusSchema,
  amount_cents: Type.Integer(),
  refunded_cents: Type.Integer(),
  currency: Type.String(),
  created_at: Type.String(),
});

export class Payment extends shapedBy('payments', PaymentColumns) {
  declare invoice?: Invoice | null;

  static override get relationMappings() {
    return {
      invoice: {
        relation: Model.BelongsToOneRelation,
        modelClass: Invoice,
        join: { from: 'payments.invoice_id', to: 'invoices.id' },
      },
    };
  }
}

const RefundColumns = Type.Object({
  id: Type.Integer(),
  invoice_id: Type.Union([Type.Integer(), Type.Null()]),
  event_id: Type.String({ description: 'What asked for it: each event counts once.' }),
  charge_id: Type.String(),
  status: oneOf('applied', 'pending', 'unallocated'),
  amount_cents: Type.Integer(),
  created_at: Type.String(),
});

export class Refund extends shapedBy('refunds', RefundColumns) {}
