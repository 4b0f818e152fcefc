/**
 * A payment that came, or did not. Each counts once: its money is at the provider and nobody's first, then on the open
 * invoice of its currency that it names. Where there is none it stays unallocated. What was told of it before it came
 * is applied to it then.
 */
import type { Knex } from 'knex';
import { appendLast } from '../../events/outbox.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { invoiceFact } from '../invoices/invoice-facts.ts';
import { allocate, canTake, outstandingCents, reread } from '../invoices/invoices.ts';
import { Payment } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import { applyNamed, applyWaiting } from './apply-back.ts';
import type { EventOutcome, PaymentParts, RejectionCode } from './event-outcome.ts';
import type { PaymentEvent } from './payment-event.ts';
import { holdEvent } from './provider-event.ts';

type Parts = Pick<PaymentParts, 'provider' | 'followUps' | 'disputesBorneBy' | 'amountFrom'>;

export async function applyPayment(
  parts: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { payment: before, invoices } = await holdEvent(trx, event, event);
  if (before !== undefined && before.status !== 'failed') {
    await applyNamed(parts, trx, before, event.chargeId);
    return { status: 'duplicate' };
  }
  const code = refusalOf(invoices, event);
  const open = openOnes(invoices, event);
  // Of what was paid before, the surplus goes back by itself; of what was voided, staff decide.
  const closed = invoices.findLast(({ status }) => status === 'paid') ?? invoices.at(-1);
  const payment = await bookPayment(parts, trx, event, open.at(-1) ?? closed, 'unallocated');
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
  const came = async () => Payment.query(trx).findById(id).throwIfNotFound();
  const taken = code === null ? await shareOut(parts.followUps, trx, came, open) : [];
  await applyWaiting(parts, trx, await came());
  if (code !== null) return { status: code === 'not_open' ? 'unallocated' : 'rejected', code };
  return { status: 'applied', invoices: taken };
}

/** Puts a payment on open invoices in their order, on each what it asks for; what is beyond that is on the last. */
async function shareOut(
  followUps: readonly InvoiceFollowUp[],
  trx: Knex.Transaction,
  came: () => Promise<Payment>,
  open: readonly Invoice[],
): Promise<Invoice[]> {
  const invoices: Invoice[] = [];
  for (const before of open) {
    const payment = await came();
    const invoice = await reread(trx, before);
    const left = payment.unallocated_cents;
    if (left === 0) break;
    const cents = before === open.at(-1) ? left : Math.min(left, outstandingCents(invoice));
    invoices.push(await takeMoney(followUps, trx, payment, invoice, cents));
  }
  return invoices;
}

/** Puts a payment, or `cents` of it, on an open invoice, with all that follows. */
export async function takeMoney(
  followUps: readonly InvoiceFollowUp[],
  trx: Knex.Transaction,
  payment: Payment,
  invoice: Invoice,
  cents = payment.unallocated_cents,
): Promise<Invoice> {
  const after = await allocate(trx, payment, invoice, cents);
  if (after.status === 'paid' && invoice.status === 'open') await followChange(trx, followUps, after, 'paid');
  return after;
}

/** A failed payment leaves its invoices open; subscribers are notified of it once for each payment and invoice. */
export async function applyFailure(
  parts: Parts,
  trx: Knex.Transaction,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { payment: before, invoices } = await holdEvent(trx, event, event);
  if (before?.status === 'failed') return { status: 'duplicate' };
  const code = refusalOf(invoices, event);
  if (code !== null) return { status: 'rejected', code };
  // The payment has come since: this is the older news.
  if (before !== undefined) return { status: 'ignored' };
  const open = openOnes(invoices, event);
  await bookPayment(parts, trx, event, open.at(-1), 'failed');
  for (const invoice of open) {
    await appendLast(trx, invoiceFact(invoice, 'invoice.payment_failed', event.paymentId));
    await followChange(trx, parts.followUps, invoice, 'failed');
  }
  return { status: 'applied', invoices: open };
}

function openOnes(invoices: readonly Invoice[], { currency, amountCents }: PaymentEvent): Invoice[] {
  return invoices.filter(
    (invoice) => invoice.status === 'open' && invoice.currency === currency && canTake(invoice, amountCents),
  );
}

function refusalOf(invoices: readonly Invoice[], event: PaymentEvent): RejectionCode | null {
  if (invoices.length === 0) return 'unknown_invoice';
  if (invoices.every(({ currency }) => currency !== event.currency)) return 'wrong_currency';
  return openOnes(invoices, event).length > 0 ? null : 'not_open';
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
