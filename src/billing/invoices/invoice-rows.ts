/** Reading invoices for the users who owe them: the list, one in full, and how a row is shown. */

import type { Static } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type QueryBuilder, raw } from 'objection';
import { decimalsOf, wholeUnits } from '../../../engine/money.ts';
import { readModelPage } from '../../shared/paging/read-page.ts';
import { type CreditNote, type DepositCredit, Invoice, type InvoiceLineRow } from './invoice.model.ts';
import type { InvoiceListQuery, InvoiceView } from './invoice.schema.ts';
import { withDispute } from './payment.model.ts';
import { referenceOf } from './references.ts';

/** An invoice with its lines, its lot and what deposits cover of it. */
export type InvoiceRow = Invoice & {
  readonly lines: readonly InvoiceLineRow[];
  readonly credits: readonly DepositCredit[];
  readonly creditNotes: readonly CreditNote[];
  readonly is_overdue: boolean;
  readonly is_disputed: boolean;
  /** Whether the link that was made for it can still be paid at. */
  readonly checkout_live: boolean;
};

/** A page of a person's own invoices, newest first. */
export function listInvoices(
  knex: Knex,
  userId: number,
  { page, per_page, ...filter }: Static<typeof InvoiceListQuery>,
) {
  const own = full(Invoice.query(knex).where({ user_id: userId, ...filter })).castTo<InvoiceRow[]>();
  return readModelPage(own, [{ column: 'id', order: 'desc' }], { page, per_page });
}

/** By id or by number, of any user; null if there is none. */
export async function findInvoice(knex: Knex, idOrNumber: string): Promise<InvoiceRow | null> {
  const column = idOrNumber.startsWith('INV-') ? 'invoice_number' : 'id';
  const row = await full(Invoice.query(knex)).findOne(column, idOrNumber).castTo<InvoiceRow | undefined>();
  return row ?? null;
}

function full(query: QueryBuilder<Invoice>) {
  return withDispute(query)
    .select(
      raw("status = 'open' AND due_at < now() AS is_overdue"),
      raw('checkout_expires_at IS NULL OR checkout_expires_at > now() AS checkout_live'),
    )
    .withGraphFetched('[lines, lot, credits.deposit, creditNotes, taxNumber]');
}

/** An invoice's amounts, as everybody is shown them. */
export function amountsOf(invoice: Invoice) {
  const decimals = decimalsOf(invoice.currency);
  return {
    amount_due: wholeUnits(invoice.amount_due_cents, decimals),
    amount_paid: wholeUnits(invoice.amount_paid_cents, decimals),
    amount_refunded: wholeUnits(invoice.amount_refunded_cents, decimals),
  };
}

/** A row as the API shows it. */
export function presentInvoice(row: InvoiceRow, paymentUrl: string | null): InvoiceView {
  return {
    id: row.id,
    invoice_number: row.invoice_number,
    reference: referenceOf({ kind: 'invoice', id: row.id }),
    kind: row.kind,
    status: row.status,
    ...amountsOf(row),
    currency: row.currency,
    due_at: row.due_at,
    is_overdue: row.is_overdue,
    is_disputed: row.is_disputed,
    paid_at: row.paid_at,
    lot: row.lot == null ? null : { id: row.lot.id, title: row.lot.title, slug: row.lot.slug },
    auction_id: row.auction_id,
    conditions_version: row.conditions_version,
    tax_number: row.taxNumber?.number ?? null,
    lines: row.lines.map(({ kind, description, amount_cents }) => ({
      kind,
      description,
      amount: wholeUnits(amount_cents, decimalsOf(row.currency)),
    })),
    credits: row.credits.map(({ deposit, amount_cents }) => ({
      kind: 'deposit' as const,
      invoice_number: deposit?.invoice_number ?? '',
      amount: wholeUnits(amount_cents, decimalsOf(row.currency)),
    })),
    credit_notes: row.creditNotes.map(({ number, amount_cents, created_at }) => ({
      number,
      amount: wholeUnits(amount_cents, decimalsOf(row.currency)),
      created_at,
    })),
    ...(row.set == null ? {} : { set: row.set }),
    ...(paymentUrl === null ? {} : { payment_url: paymentUrl }),
    created_at: row.created_at,
  };
}
