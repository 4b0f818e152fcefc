/**
 * Money of a payment that goes back, wherever the payment has ended: it is taken from what no invoice took, and then
 * from its invoice; a deposit releases first what it covers. Never more goes back than came, and no other payment's
 * money is touched. Refunds that the provider reports, those that we send, and lost disputes all end here.
 */
import type { Knex } from 'knex';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { isOverAuction } from '../../shared/statuses/auction-statuses.ts';
import { freeCents, releaseNewest } from '../invoices/credits.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { invoiceFact } from '../invoices/invoice-facts.ts';
import { keptCents, paidEntry, refunded, reopened, reread, writeOff } from '../invoices/invoices.ts';
import { onInvoiceCents, Payment } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import type { PaymentProvider } from '../providers/provider.ts';

export interface MoneyParts {
  /** Who sends money back; null: nobody that we know of, and staff send it by hand. */
  readonly provider: PaymentProvider | null;
  readonly followUps: readonly InvoiceFollowUp[];
}

export interface TakenBack {
  /** The invoice that it was taken from, where it was; as it is then. */
  readonly invoice: Invoice | null;
  readonly facts: readonly OutboxEvent[];
}

interface Back {
  readonly payment: Payment;
  /** At most what is left of the payment, or disputed. */
  readonly cents: number;
  readonly cause: string;
  /** Where the money is gone from. */
  readonly from: 'provider' | 'refunds_under_way' | 'disputed';
}

/** Books it, with all that follows. The money of the payment's team is held. */
export async function takeBack(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  { payment, cents, cause, from }: Back,
): Promise<TakenBack> {
  const { id, currency, unallocated_cents, invoice_id } = payment;
  const unallocated = Math.min(cents, unallocated_cents);
  const invoice = cents > unallocated && invoice_id !== null ? await reread(trx, { id: invoice_id }) : null;
  // What is disputed was released when the dispute began.
  const needed = invoice === null || from === 'disputed' ? 0 : cents - unallocated;
  const facts = invoice === null ? [] : await release(trx, followUps, invoice, needed);
  await post(trx, {
    cause,
    kind: 'refund',
    currency,
    entries: [
      { account: 'unallocated', amount: unallocated, paymentId: id },
      ...(invoice === null ? [] : [paidEntry(invoice, cents - unallocated, id)]),
      { account: from, amount: -cents, paymentId: id },
    ],
  });
  if (invoice === null) return { invoice, facts };
  const after = await afterBack(trx, followUps, invoice);
  return { invoice: after.invoice, facts: [...facts, ...after.facts] };
}

/** What follows once something of an invoice went back, or all of it that there was. */
export async function afterBack(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  invoice: Invoice,
): Promise<{ invoice: Invoice; facts: OutboxEvent[] }> {
  const after = await refundedPart(trx, invoice);
  const facts = [invoiceFact(after, 'invoice.refunded', String(after.amount_refunded_cents))];
  facts.push(...(await followChange(trx, followUps, after, 'refunded')));
  return { invoice: await reread(trx, after), facts };
}

/** What a deposit can no longer cover is owed again by whom it was covered for. */
export async function release(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  invoice: Invoice,
  cents: number,
): Promise<OutboxEvent[]> {
  if (invoice.kind !== 'deposit') return [];
  const facts: OutboxEvent[] = [];
  const missing = cents - (await freeCents(trx, invoice));
  for (const open of await releaseNewest(trx, invoice, missing))
    facts.push(...(await followChange(trx, followUps, open, 'reopened')));
  return facts;
}

/**
 * The status of an invoice of which something went back: a paid one is refunded once everything did, and asks for
 * nothing else; only a deposit that is still needed can be completed.
 */
async function refundedPart(trx: Knex.Transaction, { id }: Invoice): Promise<Invoice> {
  const now = await reread(trx, { id });
  if (now.status !== 'paid') return now;
  if (keptCents(now) === 0) {
    await refunded(trx, now);
    return writeOff(trx, now);
  }
  if (now.kind !== 'deposit') return writeOff(trx, now);
  const auction = await Auction.query(trx).findById(now.auction_id ?? 0);
  const needed = auction !== undefined && !isOverAuction(auction.status);
  return needed ? (await reopened(trx, now)).invoice : now;
}

/**
 * Sends money of a payment back through the provider that took it, and books that: at once, as under way until the
 * provider says the same. The provider is called with a key that names the refund, so that a caller that is killed
 * before the commit may do it again without sending it twice. Throws what the provider throws; nothing is booked then.
 */
export async function sendBack(
  trx: Knex.Transaction,
  { provider, followUps }: MoneyParts,
  payment: Payment,
  cents: number,
): Promise<TakenBack> {
  // What was refunded before is part of the key: two refunds may be of the same amount.
  const cause = `refund-${payment.payment_id}-${payment.refunded_cents}-${cents}`;
  if (provider?.name === payment.provider)
    await provider.refund(payment.payment_id, cents, payment.currency, cause);
  return takeBack(trx, followUps, { payment, cents, cause, from: 'refunds_under_way' });
}

/** Sends back up to `cents` of what an invoice keeps. `order`: of its oldest payment first, or of its newest. */
export async function refundInvoice(
  trx: Knex.Transaction,
  parts: MoneyParts,
  invoice: Invoice,
  cents: number,
  order: 'asc' | 'desc' = 'asc',
): Promise<{ invoice: Invoice; facts: OutboxEvent[] }> {
  const payments = await Payment.query(trx).where('invoice_id', invoice.id).orderBy('id', order);
  const facts: OutboxEvent[] = [];
  let left = cents;
  for (const payment of payments) {
    const back = Math.min(left, onInvoiceCents(payment), payment.left_cents - payment.unallocated_cents);
    if (back <= 0) continue;
    facts.push(...(await sendBack(trx, parts, payment, back)).facts);
    left -= back;
  }
  return { invoice: await reread(trx, invoice), facts };
}
