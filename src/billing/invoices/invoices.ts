/**
 * How invoices move: money comes in or goes back, a debt is voided. Each function takes an invoice whose row the caller holds
 * locked, writes what changes, and returns the invoice as it is then, with the facts to append last in the transaction.
 */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import { allowedMoves, type Invoice, type InvoiceStatus } from './invoice.model.ts';
import { invoiceFact } from './invoice-facts.ts';

export interface Changed {
  readonly invoice: Invoice;
  readonly facts: readonly OutboxEvent[];
}

/** The invoice with this number, locked until the transaction ends; null where there is none. */
export async function lockInvoice(trx: Knex.Transaction, number: string): Promise<Invoice | null> {
  const row = await trx('invoices').where('invoice_number', number).forUpdate().first<Invoice | undefined>();
  return row ?? null;
}

/** What is still owed, in cents; never below zero. */
export function outstandingCents(invoice: Invoice): number {
  const { amount_due_cents, amount_paid_cents, amount_refunded_cents } = invoice;
  return Math.max(0, amount_due_cents - (amount_paid_cents - amount_refunded_cents));
}

/** What came and has not gone back, in cents. */
export function keptCents(invoice: Invoice): number {
  return invoice.amount_paid_cents - invoice.amount_refunded_cents;
}

/** Adds money to an open invoice; it is paid as soon as nothing is owed any more. */
export async function receive(trx: Knex.Transaction, invoice: Invoice, cents: number): Promise<Changed> {
  const covered = outstandingCents(invoice) <= cents;
  const changed = await update(trx, invoice, {
    amount_paid_cents: invoice.amount_paid_cents + cents,
    ...(covered ? { status: 'paid', paid_at: trx.fn.now(), overdue_at: null } : {}),
  });
  return { invoice: changed, facts: covered ? [invoiceFact(changed, 'invoice.paid')] : [] };
}

/** Takes money off that went back. A paid invoice stays paid until everything has. */
export async function giveBack(trx: Knex.Transaction, invoice: Invoice, cents: number): Promise<Changed> {
  const all = invoice.status === 'paid' && keptCents(invoice) === cents;
  const changed = await update(trx, invoice, {
    amount_refunded_cents: invoice.amount_refunded_cents + cents,
    ...(all ? { status: 'refunded', refunded_at: trx.fn.now() } : {}),
  });
  const which = String(changed.amount_refunded_cents);
  return { invoice: changed, facts: [invoiceFact(changed, 'invoice.refunded', which)] };
}

/** Cancels a debt. Throws `InputError` where the invoice cannot be voided any more. */
export async function voidInvoice(trx: Knex.Transaction, invoice: Invoice): Promise<Changed> {
  requireMove(invoice, 'voided');
  const changed = await update(trx, invoice, {
    status: 'voided',
    voided_at: trx.fn.now(),
    overdue_at: null,
    checkout_url: null,
  });
  // What had come in part is owed back now.
  await trx('payments').where({ invoice_id: invoice.id, status: 'applied' }).update({ status: 'unapplied' });
  return { invoice: changed, facts: [invoiceFact(changed, 'invoice.voided')] };
}

/** Opens a draft. */
export async function openInvoice(trx: Knex.Transaction, invoice: Invoice): Promise<Changed> {
  requireMove(invoice, 'open');
  return { invoice: await update(trx, invoice, { status: 'open' }), facts: [] };
}

/** Throws `InputError` unless the invoice may go there. */
export function requireMove(invoice: Invoice, to: InvoiceStatus): void {
  const allowed = allowedMoves(invoice.status);
  if (allowed.includes(to)) return;
  const may =
    allowed.length === 0 ? 'nothing more can be done with it' : `it may become ${allowed.join(' or ')}`;
  throw new InputError(`number: ${invoice.invoice_number} is ${invoice.status}; ${may}`);
}

async function update(
  trx: Knex.Transaction,
  invoice: Invoice,
  columns: Record<string, unknown>,
): Promise<Invoice> {
  const [row] = await trx('invoices').where('id', invoice.id).update(columns).returning('*');
  return row as Invoice;
}
