/**
 * Refunds that we are about to send. What is to go back is decided and written down with a key of its own in one
 * transaction, and sent and booked in the next (`sendOrders`). So what was sent and not booked (the answer was lost, we
 * died) is found again with the same key and the same amount, whatever has happened to its payment since; and where the
 * provider tells of it first, it is known as ours.
 */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull } from '../../shared/fields.schema.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { Payment, PaymentShare } from '../invoices/payment.model.ts';
import type { PaymentProvider } from '../providers/provider.ts';

const OrderColumns = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'The provider sends the same key once. It is the cause of the posting.' }),
  payment_id: Type.Integer(),
  invoice_id: orNull(Type.Integer(), {
    description: 'What it is taken from; null: from what no invoice took.',
  }),
  cents: Type.Integer(),
  provider: orNull(Type.String(), { description: 'Who sends it; null: staff do by hand.' }),
  created_at: Type.String(),
});

export class RefundOrder extends shapedBy('refund_orders', OrderColumns) {
  declare payment?: Payment;

  static override relationMappings = () => ({
    payment: belongsTo(Payment, 'refund_orders.payment_id'),
  });
}

/** Who sends money back; null: nobody that we know of. */
interface Sender {
  readonly provider: PaymentProvider | null;
}

/** What of a payment is ordered and not booked, oldest first. */
export async function openOrders(knex: Knex, { id }: Pick<Payment, 'id'>): Promise<RefundOrder[]> {
  return RefundOrder.query(knex).where('payment_id', id).orderBy('id');
}

/** SQL: what is ordered and not booked of the money of the invoice of the query around it. */
export const ORDERED_SQL = `(SELECT coalesce(sum(o.cents), 0)::bigint FROM refund_orders o
  WHERE o.invoice_id = invoices.id)`;

/**
 * Orders up to `cents` of what an invoice keeps. `order`: of its oldest payment first, or of its newest. Where
 * something of it is ordered already, that ends first, and is what is returned. The money of its team is held.
 */
export async function orderOfInvoice(
  trx: Knex.Transaction,
  sender: Sender,
  { id }: Pick<Invoice, 'id'>,
  cents: number,
  order: 'asc' | 'desc' = 'asc',
): Promise<RefundOrder[]> {
  const open = await RefundOrder.query(trx).where('invoice_id', id).orderBy('id');
  if (open.length > 0) return open;
  const shares = await PaymentShare.query(trx)
    .where('invoice_id', id)
    .orderBy('payment_id', order)
    .withGraphFetched('payment');
  const orders: RefundOrder[] = [];
  let left = cents;
  for (const share of shares) {
    const back = Math.min(left, sendableOf(share));
    if (share.payment === undefined || back <= 0) continue;
    left -= back;
    orders.push(await write(trx, sender, share.payment, id, back));
  }
  return orders;
}

/** Orders `cents` of what no invoice took of a payment, unless it is ordered. The payment is held. */
export async function orderUnallocated(
  trx: Knex.Transaction,
  sender: Sender,
  payment: Payment,
  cents: number,
): Promise<RefundOrder[]> {
  const open = await openOrders(trx, payment);
  return open.length > 0 ? open : [await write(trx, sender, payment, null, cents)];
}

/** What is left on an invoice of its payments, and how much of that can be sent back: not what is disputed. */
export async function heldOf(knex: Knex, { id }: Pick<Invoice, 'id'>) {
  const shares = await PaymentShare.query(knex).where('invoice_id', id).withGraphFetched('payment');
  return {
    cents: shares.reduce((sum, share) => sum + share.cents, 0),
    sendable: shares.reduce((sum, share) => sum + sendableOf(share), 0),
  };
}

function sendableOf({ payment, cents }: PaymentShare): number {
  return payment === undefined ? 0 : Math.min(cents, payment.left_cents - payment.unallocated_cents);
}

async function write(
  trx: Knex.Transaction,
  { provider }: Sender,
  payment: Payment,
  invoiceId: number | null,
  cents: number,
): Promise<RefundOrder> {
  return RefundOrder.query(trx).insertAndFetch({
    key: `refund-${payment.payment_id}-${randomUUID()}`,
    payment_id: payment.id,
    invoice_id: invoiceId,
    cents,
    provider: provider?.name === payment.provider ? payment.provider : null,
  });
}
