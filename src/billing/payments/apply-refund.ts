/**
 * Money that the provider says went back. A refund that comes before its payment is kept and applied right after it;
 * never more goes back than came, and what we sent back ourselves is not counted again. A refund of a payment that no
 * invoice took ends that payment.
 */
import type { Knex } from 'knex';
import { totalCents } from '../../../engine/money.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { giveBack, keptCents, lockInvoice } from '../invoices/invoices.ts';
import { Payment, PaymentEventRow, Refund } from '../invoices/payment.model.ts';
import type { EventOutcome } from './event-outcome.ts';
import type { RefundEvent } from './payment-event.ts';
import { lockPaymentsOf, takeFromPayment } from './refund-money.ts';

type FollowUps = readonly InvoiceFollowUp[];

export async function applyRefund(
  followUps: FollowUps,
  trx: Knex.Transaction,
  event: RefundEvent,
): Promise<EventOutcome> {
  const found = await findPayment(trx, event);
  // Where it is applied now counts, not what it was once meant for.
  const number = found?.invoice?.invoice_number ?? event.invoiceNumber;
  const invoice = number === null ? null : await lockInvoice(trx, number);
  const payment = found === undefined ? undefined : await Payment.query(trx).findById(found.id).forUpdate();
  if (payment !== undefined && payment.status !== 'applied' && payment.status !== 'failed') {
    return endUnallocated(trx, event, payment);
  }
  if (invoice === null) return { status: 'rejected', code: 'unknown_invoice' };
  if (invoice.currency !== event.currency) return { status: 'rejected', code: 'wrong_currency' };
  const cents = await newlyRefunded(trx, event);
  if (cents === 0 || invoice.status === 'refunded') return { status: 'duplicate' };
  const kept = keptCents(invoice);
  if (invoice.status === 'voided' && kept === 0) return { status: 'rejected', code: 'not_open' };
  // What an invoice has not received cannot have been refunded yet; a paid one expects nothing more.
  if (kept < cents && invoice.status !== 'paid') {
    await book(trx, event, invoice.id, cents, 'pending');
    return { status: 'pending' };
  }
  const back = Math.min(kept, cents);
  await book(trx, event, invoice.id, back, 'applied');
  return { status: 'applied', ...(await takeOff(followUps, trx, invoice, back, payment?.id ?? null)) };
}

/** Takes money off a locked invoice and off its payments: the one that is named first, then the oldest. */
async function takeOff(
  followUps: FollowUps,
  trx: Knex.Transaction,
  invoice: Invoice,
  cents: number,
  paymentId: number | null,
): Promise<{ invoice: Invoice; facts: OutboxEvent[] }> {
  const payments = await lockPaymentsOf(trx, invoice.id);
  payments.sort((a, b) => Number(b.id === paymentId) - Number(a.id === paymentId) || a.id - b.id);
  let left = cents;
  for (const payment of payments) {
    const back = Math.min(left, payment.amount_cents - payment.refunded_cents);
    if (back > 0) await takeFromPayment(trx, payment.id, back);
    left -= back;
  }
  const changed = await giveBack(trx, invoice, cents);
  const followed = await followChange(trx, followUps, changed.invoice, 'refunded');
  return { invoice: changed.invoice, facts: [...changed.facts, ...followed] };
}

async function endUnallocated(
  trx: Knex.Transaction,
  event: RefundEvent,
  payment: Payment,
): Promise<EventOutcome> {
  if (payment.currency !== event.currency) return { status: 'rejected', code: 'wrong_currency' };
  const left = payment.amount_cents - payment.refunded_cents;
  const cents = Math.min(left, await newlyRefunded(trx, event));
  if (cents === 0) return { status: 'duplicate' };
  await book(trx, event, payment.invoice_id, cents, 'unallocated');
  await takeFromPayment(trx, payment.id, cents);
  if (cents === left) await Payment.query(trx).findById(payment.id).patch({ status: 'refunded' });
  return { status: 'applied' };
}

/** Applies the refunds that arrived before this payment, oldest first, as far as its amount allows. */
export async function applyPendingRefunds(
  followUps: FollowUps,
  trx: Knex.Transaction,
  invoice: Invoice,
): Promise<{ invoice: Invoice; facts: OutboxEvent[] }> {
  const waiting = await Refund.query(trx)
    .where({ invoice_id: invoice.id, status: 'pending' })
    .orderBy('id')
    .forUpdate();
  const facts: OutboxEvent[] = [];
  let now = invoice;
  for (const { id, event_id, amount_cents } of waiting) {
    const kept = keptCents(now);
    if (kept === 0 || (kept < amount_cents && now.status !== 'paid')) continue;
    const back = Math.min(kept, amount_cents);
    await Refund.query(trx).findById(id).patch({ status: 'applied', amount_cents: back });
    await PaymentEventRow.query(trx).findById(event_id).patch({ status: 'applied' });
    const done = await takeOff(followUps, trx, now, back, null);
    now = done.invoice;
    facts.push(...done.facts);
  }
  return { invoice: now, facts };
}

/** The payment behind a refund, not locked: its invoice is locked first, as everybody does. */
async function findPayment(trx: Knex.Transaction, event: RefundEvent): Promise<Payment | undefined> {
  const ids = event.paymentId === null ? [event.chargeId] : [event.paymentId, event.chargeId];
  return Payment.query(trx).whereIn('payment_id', ids).withGraphFetched('invoice').first();
}

/**
 * How much of this event is news: all of it, or, where the provider counts up, what is beyond all that we know of,
 * our own included.
 */
async function newlyRefunded(trx: Knex.Transaction, event: RefundEvent): Promise<number> {
  const ids = event.paymentId === null ? [event.chargeId] : [event.paymentId, event.chargeId];
  if (event.refundedInAllCents === null) return event.amountCents;
  const refunds = await Refund.query(trx).whereIn('charge_id', ids).select('amount_cents');
  const news = BigInt(event.refundedInAllCents) - totalCents(refunds, (refund) => refund.amount_cents);
  return news > 0n ? Number(news) : 0;
}

async function book(
  trx: Knex.Transaction,
  event: RefundEvent,
  invoiceId: number | null,
  cents: number,
  status: Refund['status'],
): Promise<void> {
  await Refund.query(trx).insert({
    invoice_id: invoiceId,
    event_id: event.eventId,
    charge_id: event.chargeId,
    status,
    amount_cents: cents,
  });
}
