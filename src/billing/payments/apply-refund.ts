/**
 * Money that went back. A refund that comes before its payment is kept and applied right after it; never more goes back than came.
 * A refund of a payment that no invoice took is booked and changes no invoice.
 */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { type Changed, giveBack, keptCents, lockInvoice } from '../invoices/invoices.ts';
import type { EventOutcome } from './event-outcome.ts';
import type { RefundEvent } from './payment-event.ts';

export async function applyRefund(trx: Knex.Transaction, event: RefundEvent): Promise<EventOutcome> {
  const payment = await paymentOf(trx, event);
  const number = event.invoiceNumber ?? payment?.invoice_number ?? null;
  const invoice = number === null ? null : await lockInvoice(trx, number);
  if (invoice === null) return { status: 'rejected', code: 'unknown_invoice' };
  if (invoice.currency !== event.currency) return { status: 'rejected', code: 'wrong_currency' };
  const cents = await newlyRefunded(trx, event);
  if (cents === 0) return { status: 'duplicate' };
  if (payment?.status === 'unapplied') {
    await book(trx, event, invoice, cents, 'unapplied');
    return { status: 'applied' };
  }
  if (invoice.status === 'refunded') return { status: 'duplicate' };
  const kept = keptCents(invoice);
  if (invoice.status === 'voided' && kept === 0) return { status: 'rejected', code: 'not_open' };
  // What an invoice has not received cannot have gone back yet; of a paid one nothing more is to come.
  if (kept < cents && invoice.status !== 'paid') {
    await book(trx, event, invoice, cents, 'pending');
    return { status: 'pending' };
  }
  const back = Math.min(kept, cents);
  await book(trx, event, invoice, back, 'applied');
  const changed = await giveBack(trx, invoice, back);
  return { status: 'applied', invoice: changed.invoice, facts: changed.facts };
}

interface Waiting {
  readonly id: number;
  readonly event_id: string;
  readonly amount_cents: number;
}

/** Applies the refunds that came before this payment, oldest first, as far as there is money to go back. */
export async function applyPendingRefunds(trx: Knex.Transaction, invoice: Invoice): Promise<Changed> {
  const waiting: Waiting[] = await trx('refunds')
    .where({ invoice_id: invoice.id, status: 'pending' })
    .orderBy('id')
    .forUpdate();
  let now = invoice;
  const facts: OutboxEvent[] = [];
  for (const { id, event_id, amount_cents } of waiting) {
    const kept = keptCents(now);
    if (kept === 0 || (kept < amount_cents && now.status !== 'paid')) continue;
    const back = Math.min(kept, amount_cents);
    await trx('refunds').where('id', id).update({ status: 'applied', amount_cents: back });
    await trx('payment_events').where('event_id', event_id).update({ status: 'applied' });
    const changed = await giveBack(trx, now, back);
    now = changed.invoice;
    facts.push(...changed.facts);
  }
  return { invoice: now, facts };
}

interface RefundedPayment {
  readonly status: string;
  readonly invoice_number: string | null;
}

async function paymentOf(trx: Knex.Transaction, event: RefundEvent): Promise<RefundedPayment | undefined> {
  const ids = event.paymentId === null ? [event.chargeId] : [event.paymentId, event.chargeId];
  return trx('payments')
    .leftJoin('invoices', 'invoices.id', 'payments.invoice_id')
    .whereRaw('payments.payment_id = any(?)', [ids])
    .first<RefundedPayment | undefined>('payments.status', 'invoices.invoice_number');
}

/** How much of this event is news: all of it, or, where the provider counts up, what is beyond the count before. */
async function newlyRefunded(trx: Knex.Transaction, event: RefundEvent): Promise<number> {
  if (event.refundedInAllCents === null) return event.amountCents;
  const row = await trx('refunds')
    .where('charge_id', event.chargeId)
    .sum<{ sum: string | number | null }>({ sum: 'amount_cents' })
    .first();
  return Math.max(0, event.refundedInAllCents - Number(row?.sum ?? 0));
}

async function book(
  trx: Knex.Transaction,
  event: RefundEvent,
  invoice: Invoice,
  cents: number,
  status: 'applied' | 'pending' | 'unapplied',
): Promise<void> {
  await trx('refunds').insert({
    invoice_id: invoice.id,
    event_id: event.eventId,
    charge_id: event.chargeId,
    status,
    amount_cents: cents,
  });
}
