/**
 * How invoices move: money comes in or goes back, a debt is voided. Each function takes an invoice whose row the caller
 * holds locked, writes what changes, and returns the invoice as it is then, with the facts to append last in the
 * transaction. What follows for others (settlements, subscriptions) the caller starts with `followChange`.
 */
import type { Knex } from 'knex';
import { type PartialModelObject, raw } from 'objection';
import type { OutboxEvent } from '../../events/outbox.ts';
import { notFound } from '../../shared/refusal.ts';
import { requireMove } from '../require-move.ts';
import { Invoice, type InvoiceLine, InvoiceLineRow } from './invoice.model.ts';
import { invoiceFact } from './invoice-facts.ts';
import { Payment } from './payment.model.ts';

export interface Changed {
  readonly invoice: Invoice;
  readonly facts: readonly OutboxEvent[];
}

/** The invoice with this number, locked until the transaction ends; null where there is none. */
export async function lockInvoice(trx: Knex.Transaction, number: string): Promise<Invoice | null> {
  return (await Invoice.query(trx).where('invoice_number', number).forUpdate().first()) ?? null;
}

/** As `lockInvoice`. Throws `not_found`. */
export async function requireInvoice(trx: Knex.Transaction, number: string): Promise<Invoice> {
  const invoice = await lockInvoice(trx, number);
  if (invoice === null) throw notFound(`number: there is no invoice ${number}`);
  return invoice;
}

type Amounts = Pick<Invoice, 'amount_due_cents' | 'amount_paid_cents' | 'amount_refunded_cents'>;

/** What is still owed, in cents; never below zero. */
export function outstandingCents(invoice: Amounts): number {
  return Math.max(0, invoice.amount_due_cents - keptCents(invoice));
}

/** What was received and has not been refunded, in cents. */
export function keptCents(invoice: Omit<Amounts, 'amount_due_cents'>): number {
  return invoice.amount_paid_cents - invoice.amount_refunded_cents;
}

/** Adds money to an open invoice; it is paid as soon as nothing is owed. */
export async function receive(trx: Knex.Transaction, invoice: Invoice, cents: number): Promise<Changed> {
  const covered = outstandingCents(invoice) <= cents;
  const changed = await patch(trx, invoice, {
    amount_paid_cents: invoice.amount_paid_cents + cents,
    ...(covered ? PAID : {}),
  });
  return { invoice: changed, facts: covered ? [invoiceFact(changed, 'invoice.paid')] : [] };
}

/** Takes money off that went back. A paid invoice stays paid until everything has. */
export async function giveBack(trx: Knex.Transaction, invoice: Invoice, cents: number): Promise<Changed> {
  const all = invoice.status === 'paid' && keptCents(invoice) === cents;
  const changed = await patch(trx, invoice, {
    amount_refunded_cents: invoice.amount_refunded_cents + cents,
    ...(all ? { status: 'refunded', refunded_at: NOW } : {}),
  });
  if (cents === 0 && !all) return { invoice: changed, facts: [] };
  const which = String(changed.amount_refunded_cents);
  return { invoice: changed, facts: [invoiceFact(changed, 'invoice.refunded', which)] };
}

/** Covers part of an open invoice with a deposit (`cents` above zero), or takes such cover off (below zero). */
export async function creditInvoice(
  trx: Knex.Transaction,
  invoice: Invoice,
  cents: number,
): Promise<Changed> {
  const covered = invoice.status === 'open' && cents > 0 && outstandingCents(invoice) <= cents;
  const changed = await patch(trx, invoice, {
    amount_due_cents: invoice.amount_due_cents - cents,
    credited_cents: invoice.credited_cents + cents,
    ...(covered ? PAID : {}),
  });
  return { invoice: changed, facts: covered ? [invoiceFact(changed, 'invoice.paid')] : [] };
}

/** Cancels a debt; a partial payment becomes unallocated. Throws `invalid_transition` if it can no longer be voided. */
export async function voidInvoice(trx: Knex.Transaction, invoice: Invoice): Promise<Changed> {
  requireMove('invoice', invoice.status, 'voided', `number: ${invoice.invoice_number}`);
  await Payment.query(trx)
    .where({ invoice_id: invoice.id, status: 'applied' })
    .patch({ status: raw("CASE WHEN refunded_cents < amount_cents THEN 'unallocated' ELSE 'refunded' END") });
  const changed = await patch(trx, invoice, {
    status: 'voided',
    voided_at: NOW,
    overdue_at: null,
    checkout_url: null,
    amount_paid_cents: invoice.amount_refunded_cents,
  });
  return { invoice: changed, facts: [invoiceFact(changed, 'invoice.voided')] };
}

/** Opens a draft; an invoice of zero is paid at once. */
export async function openInvoice(trx: Knex.Transaction, invoice: Invoice): Promise<Changed> {
  requireMove('invoice', invoice.status, 'open', `number: ${invoice.invoice_number}`);
  const changed = await patch(trx, invoice, { status: 'open' });
  return changed.amount_due_cents === 0 ? receive(trx, changed, 0) : { invoice: changed, facts: [] };
}

/** Puts other lines on a draft, which keeps its number. */
export async function rewriteDraft(
  trx: Knex.Transaction,
  invoice: Invoice,
  lines: readonly InvoiceLine[],
): Promise<Invoice> {
  await InvoiceLineRow.query(trx).delete().where('invoice_id', invoice.id);
  for (const [position, { kind, description, amount_cents }] of lines.entries()) {
    await InvoiceLineRow.query(trx).insert({
      invoice_id: invoice.id,
      position,
      kind,
      description,
      amount_cents,
    });
  }
  const amount_due_cents = lines.reduce((sum, line) => sum + line.amount_cents, 0);
  return patch(trx, invoice, { amount_due_cents });
}

const NOW = raw('now()');
const PAID = { status: 'paid' as const, paid_at: NOW, overdue_at: null };

async function patch(
  trx: Knex.Transaction,
  invoice: Invoice,
  columns: PartialModelObject<Invoice>,
): Promise<Invoice> {
  return Invoice.query(trx).findById(invoice.id).patch(columns).returning('*').first().throwIfNotFound();
}
