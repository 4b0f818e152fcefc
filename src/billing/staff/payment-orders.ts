/**
 * Payments that no invoice took: allocating one to an open invoice, sending one back. Each ends once, for any caller
 * and however often. The command line and the office call these.
 */

import type { Knex } from 'knex';
import { decimalsOf, wholeUnits } from '../../../engine/money.ts';
import { User } from '../../accounts/models/user.model.ts';
import { requireInvoiceAllowed } from '../../shared/policy/invoice-verdicts.ts';
import { PAYMENT_POLICY, paymentState, usableCents } from '../../shared/policy/payment-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { invalidTransition, notFound, Refusal } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { canTake } from '../invoices/invoices.ts';
import { Payment } from '../invoices/payment.model.ts';
import { takeMoney } from '../payments/apply-payment.ts';
import { forgetTries } from '../payments/money-tries.ts';
import { holdNamed } from '../payments/provider-event.ts';
import { openOrders, orderUnallocated } from '../payments/refund-orders.ts';
import { type Refunding, sendAtOnce } from '../payments/send-refunds.ts';
import type { MoneyParts } from '../payments/take-back.ts';

/** How a payment is shown to staff. Amounts are numbers in whole units of the currency. */
export function presentPayment(payment: Payment) {
  const { id, payment_id, provider, status, currency, created_at, invoice } = payment;
  return {
    id,
    payment_id,
    provider,
    status,
    amount: wholeUnits(payment.amount_cents, decimalsOf(currency)),
    amount_refunded: wholeUnits(payment.refunded_cents, decimalsOf(currency)),
    currency,
    invoice_number: invoice?.invoice_number ?? null,
    created_at,
  };
}

/**
 * Puts an unallocated payment, by our id or the provider's, on an open invoice of its currency, but for what of it is
 * disputed; with `otherPayer` also on another person's than it was meant for. `payer`: whose money it is, by address.
 * Throws `not_found`, `invalid_transition` if nothing of it is unallocated and undisputed, or no longer, the invoice is
 * not open or is another payer's, and `currency_mismatch`.
 */
export function allocatePayment(
  { knex, followUps }: Pick<MoneyParts, 'knex' | 'followUps'>,
  paymentId: string,
  invoiceNumber: string,
  { otherPayer = false }: { readonly otherPayer?: boolean } = {},
) {
  return inTransaction(knex, async (trx) => {
    const { payment, invoice } = await holdUnallocated(trx, paymentId, 'allocate', invoiceNumber);
    if (invoice === undefined) throw notFound(`number: there is no invoice ${invoiceNumber}`);
    requireInvoiceAllowed(invoice, 'pay', 'own', {
      message: `invoice: ${invoiceNumber} is ${invoice.status}, not open`,
      data: { allowed: [] },
    });
    if ((await openOrders(trx, payment)).length > 0)
      throw invalidTransition(
        `id: payment ${paymentId} is being sent back; repeat that to know whether it has arrived`,
      );
    if (payment.currency !== invoice.currency) {
      throw new Refusal('currency_mismatch', {
        message: `invoice: ${invoiceNumber} is in ${invoice.currency}, the payment in ${payment.currency}`,
      });
    }
    const cents = usableCents(payment);
    if (!canTake(invoice, cents))
      throw invalidTransition(`invoice: payment ${paymentId} is more than ${invoiceNumber} can take`);
    const meantFor = payment.invoice?.user_id ?? invoice.user_id;
    const payer = (await User.query(trx).findById(meantFor))?.email ?? null;
    if (meantFor !== invoice.user_id && !otherPayer)
      throw invalidTransition(
        `invoice: the money is ${payer}’s, and ${invoiceNumber} is not; say --other-payer if it is meant`,
      );
    const taken = await takeMoney(followUps, trx, payment, invoice, cents);
    return { payment: await reread(trx, payment), invoice: taken, payer };
  });
}

/**
 * Sends an unallocated payment back through its provider, but for what of it is disputed. Throws `not_found`,
 * `invalid_transition`, and `refund_refused`.
 */
export async function refundUnallocated(
  parts: MoneyParts,
  paymentId: string,
): Promise<{ payment: Payment; refund: Refunding }> {
  const order = (trx: Knex.Transaction) => orderUsable(parts, trx, paymentId);
  const refund = await sendAtOnce(parts, () => inTransaction(parts.knex, order));
  const { payment } = await inTransaction(parts.knex, (trx) => holdNamed(trx, paymentId, null));
  return { payment, refund };
}

async function orderUsable(parts: MoneyParts, trx: Knex.Transaction, paymentId: string) {
  const { payment } = await holdUnallocated(trx, paymentId, 'refund', null);
  const cents = usableCents(payment);
  // What was set aside is tried again.
  await forgetTries(trx, payment);
  return { cents, orders: await orderUnallocated(trx, parts, payment, cents) };
}

/** Only staff come here: by the office, or the command line. */
async function holdUnallocated(
  trx: Knex.Transaction,
  id: string,
  action: 'allocate' | 'refund',
  invoiceNumber: string | null,
) {
  const { payment, invoices } = await holdNamed(trx, id, { invoiceNumber });
  const state = paymentState(payment);
  requireAllowed(PAYMENT_POLICY, action, state, 'staff', {
    message: `id: payment ${id} is ${state}`,
    data: { allowed: [] },
  });
  return { payment, invoice: invoices[0] };
}

async function reread(trx: Knex, { id }: Payment): Promise<Payment> {
  return Payment.query(trx).findById(id).withGraphFetched('invoice').throwIfNotFound();
}
