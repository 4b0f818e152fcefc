/**
 * A payment that came, or did not. Each counts once: its money is at the provider and nobody's first, then on the open
 * invoice of its currency that it names. Where there is none it stays unallocated. What was told of it before it came
 * is applied to it then.
 */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { invoiceFact } from '../invoices/invoice-facts.ts';
import { allocate } from '../invoices/invoices.ts';
import { Payment } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import { applyWaiting } from './apply-back.ts';
import type { EventOutcome, PaymentParts, RejectionCode } from './event-outcome.ts';
import type { PaymentEvent } from './payment-event.ts';
import { holdEvent } from './provider-event.ts';

type Parts = Pick<PaymentParts, 'provider' | 'followUps' | 'disputesBorneBy' | 'amountFrom'>;

export async function applyPayment(
  parts: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { payment: before, invoice } = await holdEvent(trx, event, event.invoiceNumber);
  if (before !== undefined && before.status !== 'failed') return { status: 'duplicate' };
  const code = refusalOf(invoice, event);
  const payment = await bookPayment(parts, trx, event, invoice, 'unallocated');
  const { id, currency, amount_cents: cents } = payment;
  await post(trx, {
    cause: `payment:${id}`,
    kind: 'payment',
    currency,
    entries: [
      { account: 'provider', amount: cents, paymentId: id },
      { account: 'unallocated', amount: -cents, paymentId: id },
    ],
  });
  const came = await Payment.query(trx).findById(id).throwIfNotFound();
  if (code !== null || invoice === undefined) {
    const facts = await applyWaiting(parts, trx, came);
    const refused = { status: code === 'not_open' ? ('unallocated' as const) : ('rejected' as const) };
    return { ...refused, code: code ?? 'unknown_invoice', facts };
  }
  const taken = await takeMoney(parts.followUps, trx, came, invoice);
  const waited = await applyWaiting(parts, trx, came);
  return { status: 'applied', invoice: taken.invoice, facts: [...taken.facts, ...waited] };
}

/** Puts a payment on an open invoice, with all that follows. */
export async function takeMoney(
  followUps: readonly InvoiceFollowUp[],
  trx: Knex.Transaction,
  payment: Payment,
  invoice: Invoice,
): Promise<{ invoice: Invoice; facts: OutboxEvent[] }> {
  const { invoice: after, facts } = await allocate(trx, payment, invoice);
  const paid = after.status === 'paid' && invoice.status === 'open';
  return {
    invoice: after,
    facts: [...facts, ...(paid ? await followChange(trx, followUps, after, 'paid') : [])],
  };
}

/** A failed payment leaves its invoice open; subscribers are notified of it once for each payment. */
export async function applyFailure(
  parts: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { payment: before, invoice } = await holdEvent(trx, event, event.invoiceNumber);
  if (before?.status === 'failed') return { status: 'duplicate' };
  const code = refusalOf(invoice, event);
  if (code !== null || invoice === undefined) return { status: 'rejected', code: code ?? 'unknown_invoice' };
  // The payment has come since: this is the older news.
  if (before !== undefined) return { status: 'ignored' };
  await bookPayment(parts, trx, event, invoice, 'failed');
  const facts = [invoiceFact(invoice, 'invoice.payment_failed', event.paymentId)];
  facts.push(...(await followChange(trx, parts.followUps, invoice, 'failed')));
  return { status: 'applied', invoice, facts };
}

function refusalOf(invoice: Invoice | undefined, event: PaymentEvent): RejectionCode | null {
  if (invoice === undefined) return 'unknown_invoice';
  if (invoice.currency !== event.currency) return 'wrong_currency';
  return invoice.status === 'open' ? null : 'not_open';
}

async function bookPayment(
  { provider }: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
  invoice: Invoice | undefined,
  status: Payment['status'],
): Promise<Payment> {
  return Payment.query(trx)
    .insert({
      payment_id: event.paymentId,
      charge_id: event.chargeId,
      invoice_id: invoice?.id ?? null,
      provider,
      status,
      amount_cents: event.amountCents,
      currency: event.currency.slice(0, 16),
    })
    .onConflict('payment_id')
    .merge(['charge_id', 'invoice_id', 'status', 'amount_cents', 'currency'])
    .returning('*');
}
