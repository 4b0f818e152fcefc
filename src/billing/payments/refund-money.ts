/**
 * Sending money back through the provider that took it, and booking that: from an invoice, oldest payment first, or
 * from an unallocated payment. The provider is called with a key that names the refund, so a caller that is
 * killed between the provider's answer and the commit may do it again without sending money twice.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Invoice } from '../invoices/invoice.model.ts';
import { type Changed, giveBack } from '../invoices/invoices.ts';
import { Payment, Refund } from '../invoices/payment.model.ts';
import type { PaymentProvider } from '../providers/provider.ts';

/** What an invoice's payments still hold, oldest first, locked. */
export async function lockPaymentsOf(trx: Knex.Transaction, invoiceId: number): Promise<Payment[]> {
  return Payment.query(trx).where({ invoice_id: invoiceId, status: 'applied' }).orderBy('id').forUpdate();
}

/**
 * Gives back `cents` of what a locked invoice keeps. Throws what the provider throws; nothing is booked then. Money
 * that came in no way that we can send it back on (a payment booked by hand) is booked as gone all the same: staff
 * see to it.
 */
export async function refundInvoice(
  trx: Knex.Transaction,
  provider: PaymentProvider | null,
  invoice: Invoice,
  cents: number,
): Promise<Changed> {
  let left = cents;
  for (const payment of await lockPaymentsOf(trx, invoice.id)) {
    const back = Math.min(left, payment.amount_cents - payment.refunded_cents);
    if (back === 0) continue;
    await sendBack(trx, provider, payment, back, invoice);
    left -= back;
  }
  return giveBack(trx, invoice, cents - left);
}

/** Gives back what is left of a locked payment that no invoice took. Returns the payment, which is ended by it. */
export async function refundPayment(
  trx: Knex.Transaction,
  provider: PaymentProvider | null,
  payment: Payment,
): Promise<Payment> {
  const cents = payment.amount_cents - payment.refunded_cents;
  if (cents > 0) await sendBack(trx, provider, payment, cents, null);
  return Payment.query(trx)
    .findById(payment.id)
    .patch({ status: 'refunded' })
    .returning('*')
    .first()
    .throwIfNotFound();
}

async function sendBack(
  trx: Knex.Transaction,
  provider: PaymentProvider | null,
  payment: Payment,
  cents: number,
  invoice: Invoice | null,
): Promise<void> {
  // What was refunded before is part of the key: two refunds may be of the same amount.
  const key = `refund-${payment.payment_id}-${payment.refunded_cents}-${cents}`;
  if (provider?.name === payment.provider) await provider.refund(payment.payment_id, cents, key);
  await Refund.query(trx).insert({
    invoice_id: invoice?.id ?? null,
    event_id: key,
    charge_id: payment.payment_id,
    status: invoice === null ? 'unallocated' : 'applied',
    amount_cents: cents,
  });
  await takeFromPayment(trx, payment.id, cents);
}

/** Books a refund of this much of a payment. */
export async function takeFromPayment(trx: Knex.Transaction, id: number, cents: number): Promise<void> {
  await Payment.query(trx)
    .findById(id)
    .patch({ refunded_cents: raw('refunded_cents + ?', cents) });
}
