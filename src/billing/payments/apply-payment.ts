/**
 * A payment that came, or did not. Each payment id counts once; money for an invoice that is not open, for none that
 * is known, or in another currency, is booked as unallocated, so that it can be allocated or given back, and changes
 * no invoice.
 */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import { holdName } from '../../shared/transactions.ts';
import { followChange } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { invoiceFact } from '../invoices/invoice-facts.ts';
import { lockInvoice, receive } from '../invoices/invoices.ts';
import { Payment, type PaymentStatus } from '../invoices/payment.model.ts';
import { applyPendingRefunds } from './apply-refund.ts';
import type { EventOutcome, PaymentParts, RejectionCode } from './event-outcome.ts';
import type { PaymentEvent } from './payment-event.ts';

type Parts = Pick<PaymentParts, 'provider' | 'followUps'>;

export async function applyPayment(
  parts: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { invoice, before, code } = await lockBoth(trx, event);
  if (before !== null && before !== 'failed') return { status: 'duplicate' };
  if (code !== null || invoice === null) {
    await bookPayment(parts, trx, event, invoice, 'unallocated');
    return { status: code === 'not_open' ? 'unallocated' : 'rejected', code: code ?? 'unknown_invoice' };
  }
  await bookPayment(parts, trx, event, invoice, 'applied');
  return { status: 'applied', ...(await takeMoney(parts, trx, invoice, event.amountCents)) };
}

/** Money that a locked open invoice takes, with all that follows, the refunds that came before it included. */
export async function takeMoney(
  { followUps }: Pick<PaymentParts, 'followUps'>,
  trx: Knex.Transaction,
  invoice: Invoice,
  cents: number,
): Promise<{ invoice: Invoice; facts: OutboxEvent[] }> {
  const received = await receive(trx, invoice, cents);
  const facts: OutboxEvent[] = [...received.facts];
  if (received.invoice.status === 'paid') {
    facts.push(...(await followChange(trx, followUps, received.invoice, 'paid')));
  }
  const after = await applyPendingRefunds(followUps, trx, received.invoice);
  return { invoice: after.invoice, facts: [...facts, ...after.facts] };
}

/** A failed payment leaves its invoice open; subscribers are notified of it once for each payment. */
export async function applyFailure(
  parts: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { invoice, before, code } = await lockBoth(trx, event);
  if (before === 'failed') return { status: 'duplicate' };
  if (code !== null || invoice === null) return { status: 'rejected', code: code ?? 'unknown_invoice' };
  // The payment has come since: this is the older news.
  if (before !== null) return { status: 'ignored' };
  await bookPayment(parts, trx, event, invoice, 'failed');
  const facts = [invoiceFact(invoice, 'invoice.payment_failed', event.paymentId)];
  facts.push(...(await followChange(trx, parts.followUps, invoice, 'failed')));
  return { status: 'applied', invoice, facts };
}

/** The invoice and what the payment was before, both locked, and why the invoice does not take it. */
async function lockBoth(trx: Knex.Transaction, event: PaymentEvent) {
  const invoice = event.invoiceNumber === null ? null : await lockInvoice(trx, event.invoiceNumber);
  const before = await lockPayment(trx, event.paymentId);
  return { invoice, before, code: refusalOf(invoice, event) };
}

function refusalOf(invoice: Invoice | null, event: PaymentEvent): RejectionCode | null {
  if (invoice === null) return 'unknown_invoice';
  if (invoice.currency !== event.currency) return 'wrong_currency';
  return invoice.status === 'open' ? null : 'not_open';
}

/** The status of a payment; two events about one payment wait for each other here. */
async function lockPayment(trx: Knex.Transaction, paymentId: string): Promise<PaymentStatus | null> {
  await holdName(trx, paymentId, 7);
  return (await Payment.query(trx).where('payment_id', paymentId).first())?.status ?? null;
}

async function bookPayment(
  { provider }: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
  invoice: Invoice | null,
  status: PaymentStatus,
): Promise<void> {
  await Payment.query(trx)
    .insert({
      payment_id: event.paymentId,
      invoice_id: invoice?.id ?? null,
      provider,
      status,
      amount_cents: event.amountCents,
      currency: event.currency.slice(0, 16),
    })
    .onConflict('payment_id')
    .merge(['invoice_id', 'status', 'amount_cents', 'currency']);
}
