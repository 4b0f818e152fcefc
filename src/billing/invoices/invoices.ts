/**
 * How invoices move: a debt is made, covered, voided or written off. Each change is a posting; the status follows from
 * the sums. Functions take an invoice whose team's money the caller holds, append what subscribers are sent of it, and
 * return it as it is then. What follows for others the caller starts with `followChange`.
 */
import type { Knex } from 'knex';
import { type PartialModelObject, raw } from 'objection';
import { appendLast } from '../../events/outbox.ts';
import { requireInvoiceAllowed } from '../../shared/policy/invoice-verdicts.ts';
import { notFound } from '../../shared/refusal.ts';
import { movesLeft, requireMove } from '../../shared/statuses/require-move.ts';
import { holdMoney } from '../ledger/money-lock.ts';
import { type Entry, entryCount, post } from '../ledger/post.ts';
import { insertLines } from './create-invoices.ts';
import { noteCredit, notedCents } from './credit-notes.ts';
import { Invoice, type InvoiceLine, InvoiceLineRow } from './invoice.model.ts';
import { invoiceFact } from './invoice-facts.ts';
import { creditNote, invoicePosting, lostBack, reversal } from './invoice-postings.ts';
import { Payment, PaymentShare } from './payment.model.ts';

/** The invoice with this number, its team's money held until the transaction ends. Throws `not_found`. */
export async function requireInvoice(trx: Knex.Transaction, number: string): Promise<Invoice> {
  const found = await Invoice.query(trx).findOne('invoice_number', number);
  if (found === undefined) throw notFound(`number: there is no invoice ${number}`);
  await holdMoney(trx, found.team_id);
  return reread(trx, found);
}

/** Throws unless staff may do this now: by the office or the command line, nobody else comes here. */
export function requireDecidable(invoice: Invoice, action: 'void' | 'refund', field = 'number'): void {
  const { status, invoice_number: number } = invoice;
  requireInvoiceAllowed(invoice, action, 'staff', movesLeft('invoice', status, `${field}: ${number}`));
}

/** As it is now. */
export async function reread(trx: Knex, { id }: Pick<Invoice, 'id'>): Promise<Invoice> {
  return Invoice.query(trx).findById(id).throwIfNotFound();
}

type Amounts = Pick<Invoice, 'kind' | 'amount_due_cents' | 'amount_paid_cents' | 'amount_refunded_cents'>;

/** What is still owed, in cents; never below zero. */
export function outstandingCents(invoice: Amounts & Pick<Invoice, 'owed_cents'>): number {
  return Math.max(0, -surplusCents(invoice));
}

/** What was paid beyond what is due, in cents; below zero: what is missing. */
export function surplusCents(invoice: Amounts & Pick<Invoice, 'owed_cents'>): number {
  return invoice.kind === 'deposit' ? keptCents(invoice) - invoice.amount_due_cents : -invoice.owed_cents;
}

/** What was received and has not been refunded, in cents. */
export function keptCents(invoice: Pick<Invoice, 'amount_paid_cents' | 'amount_refunded_cents'>): number {
  return invoice.amount_paid_cents - invoice.amount_refunded_cents;
}

/** Whether all that an invoice ever received stays a figure that a number holds; staff see to what goes beyond it. */
export function canTake(invoice: Pick<Invoice, 'amount_paid_cents'>, cents: number): boolean {
  return Number.isSafeInteger(invoice.amount_paid_cents + cents);
}

/** The side of the ledger that an invoice's payments are booked on. */
export function paidEntry({ id, kind, auction_id }: Invoice, amount: number, paymentId?: number): Entry {
  const account = kind === 'deposit' ? ('deposits_held' as const) : ('receivable' as const);
  return { account, amount, invoiceId: id, auctionId: auction_id, ...(paymentId ? { paymentId } : {}) };
}

/** Puts what no invoice has taken of a payment, or `cents` of it, on an invoice of its currency. */
export async function allocate(
  trx: Knex.Transaction,
  payment: Payment,
  invoice: Invoice,
  cents = payment.unallocated_cents,
): Promise<Invoice> {
  const { id, currency } = payment;
  await post(trx, {
    cause: `allocation:${id}:${await entryCount(trx, 'payment_id', id)}`,
    kind: 'allocation',
    currency,
    entries: [{ account: 'unallocated', amount: cents, paymentId: id }, paidEntry(invoice, -cents, id)],
  });
  await Payment.query(trx).findById(id).patch({ invoice_id: invoice.id });
  return covered(trx, invoice);
}

/** An open invoice is paid as soon as nothing is owed. */
export async function covered(trx: Knex.Transaction, invoice: Pick<Invoice, 'id'>): Promise<Invoice> {
  const now = await reread(trx, invoice);
  if (now.status !== 'open' || outstandingCents(now) > 0) return now;
  const paid = await patch(trx, now, { status: 'paid', paid_at: NOW, overdue_at: null });
  // One that was open again is paid a second time.
  await appendLast(trx, invoiceFact(paid, 'invoice.paid', now.reopened_at ?? undefined));
  return paid;
}

/** A paid invoice of which something is missing again is open for it. */
export async function reopened(trx: Knex.Transaction, invoice: Pick<Invoice, 'id'>): Promise<Invoice> {
  const now = await reread(trx, invoice);
  if (now.status !== 'paid' || outstandingCents(now) === 0) return now;
  // Not in the table: nobody requests it, the sums say it.
  requireMove('invoice', now.status, 'open', `number: ${now.invoice_number}`);
  return patch(trx, now, { status: 'open', paid_at: null, reopened_at: NOW });
}

/** An invoice of which everything went back. */
export function refunded(trx: Knex.Transaction, invoice: Invoice): Promise<Invoice> {
  // Not in the table: nobody requests it, the sums say it.
  requireMove('invoice', invoice.status, 'refunded', `number: ${invoice.invoice_number}`);
  return patch(trx, invoice, { status: 'refunded', refunded_at: NOW });
}

/** What is missing of an invoice that asks for nothing more is no debt: each whom it was for bears their share. */
export async function writeOff(trx: Knex.Transaction, invoice: Pick<Invoice, 'id'>): Promise<Invoice> {
  const now = await reread(trx, invoice);
  if (now.owed_cents <= 0) return now;
  const posting = await creditNote(trx, now);
  await post(trx, posting);
  const tax = Number(posting.entries.find(({ account }) => account === 'tax')?.amount ?? 0);
  await noteCredit(trx, now, now.owed_cents, tax);
  return reread(trx, now);
}

/** What was given back of a deposit that nobody asks for again has a credit note, too; the ledger has no debt of it. */
export async function noteReturned(trx: Knex.Transaction, deposit: Invoice): Promise<Invoice> {
  const missing = deposit.amount_due_cents - keptCents(deposit) - (await notedCents(trx, deposit));
  if (missing > 0) await noteCredit(trx, deposit, missing);
  return deposit;
}

/** Cancels a debt; a partial payment becomes unallocated. Throws `invalid_transition` if it can no longer be voided. */
export async function voidInvoice(trx: Knex.Transaction, invoice: Invoice): Promise<Invoice> {
  // Not in the table: who voids it was judged before; no code voids what was paid.
  requireMove('invoice', invoice.status, 'voided', `number: ${invoice.invoice_number}`);
  const { id, currency } = invoice;
  const shares = await PaymentShare.query(trx).where('invoice_id', id).orderBy('payment_id');
  const freed = shares.flatMap(({ payment_id, cents }) => {
    const free: Entry = { account: 'unallocated', amount: -cents, paymentId: payment_id };
    return [paidEntry(invoice, cents, payment_id), free];
  });
  // What was for several invoices waits for staff as this one’s.
  await Payment.query(trx)
    .whereIn(
      'id',
      shares.map(({ payment_id }) => payment_id),
    )
    .patch({ invoice_id: id });
  await post(
    trx,
    { cause: `deallocation:${id}`, kind: 'allocation', currency, entries: freed },
    await lostBack(trx, invoice),
    { cause: `void:${id}`, kind: 'void', currency, entries: await reversal(trx, invoice) },
  );
  const changed = await patch(trx, invoice, {
    status: 'voided',
    voided_at: NOW,
    overdue_at: null,
    checkout_url: null,
  });
  await appendLast(trx, invoiceFact(changed, 'invoice.voided'));
  return changed;
}

/** Opens a draft; an invoice of zero is paid at once. */
export async function openInvoice(trx: Knex.Transaction, invoice: Invoice): Promise<Invoice> {
  // Not in the table: it opens with its settlement, which was judged.
  requireMove('invoice', invoice.status, 'open', `number: ${invoice.invoice_number}`);
  const lines = await InvoiceLineRow.query(trx).where('invoice_id', invoice.id);
  await post(trx, invoicePosting(invoice, lines));
  return covered(trx, await patch(trx, invoice, { status: 'open' }));
}

/** Puts other lines on a draft, which keeps its number. */
export async function rewriteDraft(
  trx: Knex.Transaction,
  invoice: Invoice,
  lines: readonly InvoiceLine[],
): Promise<Invoice> {
  await InvoiceLineRow.query(trx).delete().where('invoice_id', invoice.id);
  await insertLines(trx, [{ invoice, lines }]);
  const amount_due_cents = lines.reduce((sum, line) => sum + line.amount_cents, 0);
  return patch(trx, invoice, { amount_due_cents });
}

const NOW = raw('now()');

async function patch(
  trx: Knex.Transaction,
  invoice: Invoice,
  columns: PartialModelObject<Invoice>,
): Promise<Invoice> {
  return Invoice.query(trx).findById(invoice.id).patch(columns).returning('*').first().throwIfNotFound();
}
