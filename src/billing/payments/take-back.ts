/**
 * Money of a payment that goes back, wherever the payment has ended: it is taken from what no invoice took, and then
 * from its invoice; a deposit releases first what it covers. Never more goes back than came, and no other payment's
 * money is touched. Refunds that the provider reports, those that we send, and lost disputes all end here.
 */
import type { Knex } from 'knex';
import { Auction } from '../../bidding/records/auction.model.ts';
import { appendLast } from '../../events/outbox.ts';
import { isOverAuction } from '../../shared/statuses/auction-statuses.ts';
import { freeCents, releaseNewest } from '../invoices/credits.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { invoiceFact } from '../invoices/invoice-facts.ts';
import {
  keptCents,
  noteReturned,
  outstandingCents,
  paidEntry,
  refunded,
  reopened,
  reread,
  writeOff,
} from '../invoices/invoices.ts';
import { type Payment, PaymentShare } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import { forgetTries } from './money-tries.ts';
import { RefundOrder } from './refund-orders.ts';

export interface MoneyParts {
  readonly knex: Knex;
  /** Who sends money back; null: nobody that we know of, and staff send it by hand. */
  readonly provider: PaymentProvider | null;
  readonly followUps: readonly InvoiceFollowUp[];
}

/** Where money of a payment is: on no invoice, and on these. */
export interface Parts {
  readonly unallocated: number;
  readonly on: readonly { readonly invoice: Invoice; readonly cents: number }[];
}

interface Back {
  readonly payment: Payment;
  /** At most what is left of the payment, or disputed. */
  readonly parts: Parts;
  readonly cause: string;
  /** Where the money is gone from. */
  readonly from: 'provider' | 'refunds_under_way' | 'disputed';
}

/**
 * `cents` of a payment: what no invoice took first, then what its invoices did, the last one’s first. `of`: what this
 * invoice took before all else.
 */
export async function partsOf(
  trx: Knex,
  payment: Payment,
  cents: number,
  of: number | null = null,
): Promise<Parts> {
  const shares = await PaymentShare.query(trx).where('payment_id', payment.id).orderBy('id', 'desc');
  const first = shares.filter(({ invoice_id }) => invoice_id === of);
  const on: { invoice: Invoice; cents: number }[] = [];
  let left = cents;
  const take = async (some: readonly PaymentShare[]) => {
    for (const share of some) {
      const part = Math.min(left, share.cents);
      if (part <= 0) break;
      left -= part;
      on.push({ invoice: await reread(trx, { id: share.invoice_id }), cents: part });
    }
  };
  await take(first);
  const unallocated = Math.min(left, payment.unallocated_cents);
  left -= unallocated;
  await take(shares.filter((share) => !first.includes(share)));
  return { unallocated, on };
}

/** Books it, with all that follows. Returns the invoices that it was taken from. The money of their teams is held. */
export async function takeBack(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  { payment: { id, currency }, parts: { unallocated, on }, cause, from }: Back,
): Promise<Invoice[]> {
  // What is disputed was released when the dispute began.
  for (const { invoice, cents } of from === 'disputed' ? [] : on)
    await release(trx, followUps, invoice, cents);
  const cents = on.reduce((sum, part) => sum + part.cents, unallocated);
  await post(trx, {
    cause,
    kind: 'refund',
    currency,
    entries: [
      { account: 'unallocated', amount: unallocated, paymentId: id },
      ...on.map((part) => paidEntry(part.invoice, part.cents, id)),
      { account: from, amount: -cents, paymentId: id },
    ],
  });
  const invoices: Invoice[] = [];
  for (const { invoice } of on) invoices.push(await afterBack(trx, followUps, invoice));
  return invoices;
}

/** What follows once something of an invoice went back. `whole`: nothing of it counts any more. */
export async function afterBack(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  invoice: Invoice,
  whole = false,
): Promise<Invoice> {
  const after = await refundedPart(trx, invoice, whole);
  // Two facts of one invoice differ by the sum of what went back, unless nothing of its own was left to go.
  const key = `${after.amount_refunded_cents}${whole ? '-whole' : ''}`;
  await appendLast(trx, invoiceFact(after, 'invoice.refunded', key));
  await followChange(trx, followUps, after, 'refunded');
  return reread(trx, after);
}

/** What a deposit can no longer cover is owed again by whom it was covered for. */
export async function release(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  invoice: Invoice,
  cents: number,
): Promise<void> {
  if (invoice.kind !== 'deposit') return;
  const missing = cents - (await freeCents(trx, invoice));
  for (const open of await releaseNewest(trx, invoice, missing))
    await followChange(trx, followUps, open, 'reopened');
}

/**
 * The status of an invoice of which something went back: a paid one is refunded once everything did, and asks for
 * nothing else; only a deposit that is still needed can be completed. One that a deposit covers stays paid when what
 * came beyond that went back.
 */
async function refundedPart(trx: Knex.Transaction, { id }: Invoice, whole: boolean): Promise<Invoice> {
  const now = await reread(trx, { id });
  if (now.status !== 'paid') return now;
  const isBack = keptCents(now) === 0 && (whole || outstandingCents(now) > 0);
  const after = isBack ? await refunded(trx, now) : now;
  if (now.kind !== 'deposit') return writeOff(trx, after);
  if (after.status === 'refunded') return noteReturned(trx, after);
  const auction = await Auction.query(trx).findById(now.auction_id ?? 0);
  const needed = auction !== undefined && !isOverAuction(auction.status);
  return needed ? reopened(trx, now) : noteReturned(trx, now);
}

/** Books what an order has sent, as under way, from where it was ordered, as far as it is still there. */
export async function bookOrder(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  payment: Payment,
  { id, key, cents, invoice_id }: RefundOrder,
): Promise<Invoice[]> {
  const parts = await partsOf(trx, payment, cents, invoice_id);
  await RefundOrder.query(trx).deleteById(id);
  await forgetTries(trx, payment);
  return takeBack(trx, followUps, { payment, parts, cause: key, from: 'refunds_under_way' });
}
