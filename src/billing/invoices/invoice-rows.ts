/** Reading invoices for whoever owes them: the list, one in full, and how a row is shown. */
import type { Knex } from 'knex';
import type { Model } from 'objection';
import type { InvoiceStatus } from '../states.ts';
import type { Invoice, InvoiceKind, LineKind } from './invoice.model.ts';
import type { InvoiceView } from './invoice.schema.ts';

type InvoiceColumns = Omit<Invoice, keyof Model | 'lines'>;

/**
 * Read with a raw query: lists want the lot, lines and credits of a page in one statement, as JSON that Postgres
 * builds.
 */
export interface InvoiceRow extends InvoiceColumns {
  readonly id: number;
  readonly lot_title: string | null;
  readonly lot_slug: string | null;
  readonly is_overdue: boolean;
  readonly checkout_live: boolean;
  readonly credits: readonly { deposit_number: string; amount_cents: number }[];
  readonly lines: readonly { kind: LineKind; description: string; amount_cents: number }[];
}

export interface InvoiceFilter {
  readonly status?: InvoiceStatus;
  readonly kind?: InvoiceKind;
  readonly page: number;
  readonly perPage: number;
}

/** A person's own invoices, newest first, and how many there are. */
export async function listInvoices(
  knex: Knex,
  userId: number,
  filter: InvoiceFilter,
): Promise<{ rows: InvoiceRow[]; total: number }> {
  const where = { user_id: userId, ...pick(filter) };
  const [count] = await knex('invoices').where(where).count<{ n: number }[]>({ n: '*' });
  const rows = await full(knex)
    .where(Object.fromEntries(Object.entries(where).map(([name, value]) => [`i.${name}`, value])))
    .orderBy('i.id', 'desc')
    .limit(filter.perPage)
    .offset((filter.page - 1) * filter.perPage);
  return { rows: rows as InvoiceRow[], total: Number(count?.n ?? 0) };
}

function pick({ status, kind }: InvoiceFilter): Record<string, string> {
  return { ...(status === undefined ? {} : { status }), ...(kind === undefined ? {} : { kind }) };
}

/** By id or by number, whoever owes it; null where there is none. */
export async function findInvoice(knex: Knex, idOrNumber: string): Promise<InvoiceRow | null> {
  const column = idOrNumber.startsWith('INV-') ? 'i.invoice_number' : 'i.id';
  const row = await full(knex).where(column, idOrNumber).first();
  return (row as InvoiceRow | undefined) ?? null;
}

function full(knex: Knex) {
  return knex('invoices as i')
    .leftJoin('lots as l', 'l.id', 'i.lot_id')
    .select(
      'i.*',
      'l.title as lot_title',
      'l.slug as lot_slug',
      knex.raw("(i.status = 'open' AND i.due_at < now()) AS is_overdue"),
      knex.raw('(i.checkout_expires_at IS NULL OR i.checkout_expires_at > now()) AS checkout_live'),
      knex.raw(`(SELECT coalesce(json_agg(json_build_object('kind', n.kind, 'description', n.description,
        'amount_cents', n.amount_cents) ORDER BY n.position), '[]') FROM invoice_lines n WHERE n.invoice_id = i.id)
        AS lines`),
      knex.raw(`(SELECT coalesce(json_agg(json_build_object('deposit_number', d.invoice_number,
        'amount_cents', c.amount_cents) ORDER BY c.id), '[]') FROM deposit_credits c
        JOIN invoices d ON d.id = c.deposit_invoice_id WHERE c.invoice_id = i.id AND c.released_at IS NULL)
        AS credits`),
    );
}

/** A row as the API shows it. */
export function presentInvoice(row: InvoiceRow, paymentUrl: string | null): InvoiceView {
  return {
    id: row.id,
    invoice_number: row.invoice_number,
    kind: row.kind,
    status: row.status,
    amount_due: row.amount_due_cents / 100,
    amount_paid: row.amount_paid_cents / 100,
    amount_refunded: row.amount_refunded_cents / 100,
    currency: row.currency,
    due_at: row.due_at,
    is_overdue: row.is_overdue,
    paid_at: row.paid_at,
    lot: row.lot_id === null ? null : { id: row.lot_id, title: row.lot_title!, slug: row.lot_slug! },
    auction_id: row.auction_id,
    lines: row.lines.map(({ kind, description, amount_cents }) => ({
      kind,
      description,
      amount: amount_cents / 100,
    })),
    credits: row.credits.map(({ deposit_number, amount_cents }) => ({
      kind: 'deposit' as const,
      invoice_number: deposit_number,
      amount: amount_cents / 100,
    })),
    ...(paymentUrl === null ? {} : { payment_url: paymentUrl }),
    created_at: row.created_at,
  };
}
