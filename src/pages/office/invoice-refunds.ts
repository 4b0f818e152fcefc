/** Where an invoice's money is that goes back: ordered, under way, or gone. */
import type { Knex } from 'knex';
import type { InvoiceRow } from '../../billing/invoices/invoice-rows.ts';
import { Payment, PaymentShare } from '../../billing/invoices/payment.model.ts';
import { RefundOrder } from '../../billing/payments/refund-orders.ts';
import { sentRefunds, TRANSFER_PROVIDER } from '../../billing/payments/sent-refunds.ts';
import { MONEY } from './money-lists.ts';
import type { Cell, Table } from './office.ts';

/** Each refund of the payments for this invoice, then what is only ordered. */
export async function refundsTable(knex: Knex, { id, currency }: InvoiceRow): Promise<Table> {
  const shared = PaymentShare.query(knex).where('invoice_id', id).select('payment_id');
  const payments = await Payment.query(knex).where('invoice_id', id).orWhereIn('id', shared).orderBy('id');
  const orders = await RefundOrder.query(knex)
    .where('invoice_id', id)
    .withGraphFetched('payment')
    .orderBy('id');
  const paymentCell = (one: Payment | undefined): Cell =>
    one === undefined ? null : { href: `${MONEY}/payments/${one.id}`, text: one.payment_id };
  const rows: Cell[][] = [];
  for (const payment of payments) {
    const waits = payment.provider === TRANSFER_PROVIDER ? 'To be sent by us' : 'On its way';
    for (const { cents, confirmed, created_at } of await sentRefunds(knex, payment))
      rows.push([
        paymentCell(payment),
        { cents, currency },
        confirmed ? 'Has gone back' : waits,
        { time: created_at },
      ]);
  }
  for (const { payment, cents, provider, created_at } of orders)
    rows.push([
      paymentCell(payment),
      { cents, currency },
      provider === null ? 'To be sent by us' : 'Ordered: the provider has not answered yet',
      { time: created_at },
    ]);
  return {
    heading: 'Refunds',
    columns: ['Payment', 'Amount', 'Where it is', 'Since'],
    rows,
    empty: 'Nothing has gone back.',
  };
}
