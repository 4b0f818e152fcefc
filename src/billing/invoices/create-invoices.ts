/**
 * Making invoices: numbers without gaps, lines that add up to the amount, and the fact for subscribers. Everything
 * that bills anybody ends here, in the transaction that makes the debt.
 */
import type { Knex } from 'knex';
import { entryOf, firstOf, itemAt } from '../../../engine/first-of.ts';
import { appendLast, type OutboxEvent } from '../../events/outbox.ts';
import { nextNumbers } from '../../shared/numbering.ts';
import { USUAL_DUE_DAYS } from '../../shared/sale-terms.ts';
import { post } from '../ledger/post.ts';
import { Invoice, type InvoiceKind, type InvoiceLine } from './invoice.model.ts';
import { invoiceFact } from './invoice-facts.ts';
import { invoicePosting } from './invoice-postings.ts';

/** What is given of an invoice; what is not given is null. */
const GIVEN = [
  ...['kind', 'user_id', 'team_id', 'currency', 'auction_id', 'lot_id', 'bid_id', 'take', 'subscription_id'],
  ...['campaign_id', 'period_start', 'period_end', 'conditions_version', 'tax_number_id'],
] as const;

type Given = Pick<Invoice, (typeof GIVEN)[number]>;

export interface NewInvoice
  extends Pick<Given, 'kind' | 'user_id' | 'team_id' | 'currency'>,
    Partial<Omit<Given, 'kind' | 'user_id' | 'team_id' | 'currency'>> {
  /** What the lot was bought with, of lots that are sold in any combination; absent: by itself. */
  readonly set?: unknown;
  /** At least one; together they are the amount due. */
  readonly lines: readonly InvoiceLine[];
  /** A draft waits until somebody opens it. Default open. */
  readonly draft?: boolean;
  /** Days until it is due; null or absent: as is usual for its kind. */
  readonly terms_days?: number | null;
}

/** SQL: the columns that are written as they are. */
const COLUMNS = ['invoice_number', 'status', 'amount_due_cents', 'set', ...GIVEN].join(', ');

/** Days until each kind is due. */
const TERMS_DAYS: Readonly<Record<InvoiceKind, number>> = {
  winner: USUAL_DUE_DAYS,
  platform_fee: 14,
  subscription: 7,
  deposit: 7,
};

export interface MadeInvoices {
  /** In the order of the request. */
  readonly invoices: readonly Invoice[];
  /** To be appended to the outbox by the caller, last in the transaction. */
  readonly facts: readonly OutboxEvent[];
}

/** Makes one, as `createInvoices` does, and tells of it. */
export async function createInvoice(trx: Knex.Transaction, wanted: NewInvoice): Promise<Invoice> {
  const { invoices, facts } = await createInvoices(trx, [wanted]);
  await appendLast(trx, ...facts);
  return firstOf(invoices);
}

/**
 * Inserts invoices, open unless they are drafts; an invoice of zero is paid at once. Locks the year's numbers until the
 * transaction ends. Throws what the database refuses, such as a second live invoice for a lot.
 */
export async function createInvoices(
  trx: Knex.Transaction,
  wanted: readonly NewInvoice[],
): Promise<MadeInvoices> {
  if (wanted.length === 0) return { invoices: [], facts: [] };
  const numbers = await nextNumbers(trx, 'INV', wanted.length);
  const rows = wanted.map((invoice, index) => rowOf(invoice, itemAt(numbers, index)));
  // SQL: the projection makes the invoices of hundreds of lots in one statement.
  await trx.raw(
    `INSERT INTO invoices (${COLUMNS}, parties, due_at, paid_at)
     SELECT ${COLUMNS}, json_build_object('buyer', ${BUYER_SQL}, 'seller', ${SELLER_SQL}),
       now() + (wanted ->> 'terms_days')::int * interval '1 day', CASE WHEN status = 'paid' THEN now() END
     FROM json_array_elements(?::json) AS wanted, json_populate_record(NULL::invoices, wanted) AS n`,
    [JSON.stringify(rows)],
  );
  const made = await Invoice.query(trx).whereIn('invoice_number', numbers);
  const byNumber = new Map(made.map((invoice) => [invoice.invoice_number, invoice]));
  const invoices = numbers.map((number) => entryOf(byNumber, number));
  await insertLines(
    trx,
    invoices.map((invoice, index) => ({ invoice, lines: itemAt(wanted, index).lines })),
  );
  const owed = invoices.map((invoice, index) => invoicePosting(invoice, itemAt(wanted, index).lines));
  await post(trx, ...owed.filter((_, index) => itemAt(wanted, index).draft !== true));
  return { invoices, facts: invoices.flatMap(factsOf) };
}

/** SQL: who owes the invoice `n`, and who sells, as both are known at this moment. */
const BUYER_SQL = `(SELECT json_build_object('name', u.name, 'email', u.email, 'address', u.postal_address)
  FROM users u WHERE u.id = n.user_id)`;
const SELLER_SQL = `(SELECT json_build_object('name', coalesce(o.name, t.name),
    'address', coalesce(o.postal_address, t.postal_address), 'tax_number', t.tax_number)
  FROM auctions a JOIN teams t ON t.id = a.team_id LEFT JOIN users o ON o.id = a.user_id WHERE a.id = n.auction_id)`;

function rowOf({ lines, draft, terms_days, ...columns }: NewInvoice, invoice_number: string) {
  const amount_due_cents = lines.reduce((sum, line) => sum + line.amount_cents, 0);
  const openOrPaid = amount_due_cents === 0 ? 'paid' : 'open';
  const status = draft === true ? 'draft' : openOrPaid;
  return {
    ...columns,
    invoice_number,
    amount_due_cents,
    status,
    terms_days: terms_days ?? TERMS_DAYS[columns.kind],
  };
}

/** Writes the lines of invoices that have none. */
export async function insertLines(
  trx: Knex.Transaction,
  billed: readonly { readonly invoice: Invoice; readonly lines: readonly InvoiceLine[] }[],
): Promise<void> {
  const rows = billed.flatMap(({ invoice, lines }) =>
    lines.map((line, position) => ({ ...line, invoice_id: invoice.id, position })),
  );
  // SQL: as above.
  await trx.raw(
    `INSERT INTO invoice_lines (invoice_id, position, kind, description, amount_cents)
     SELECT invoice_id, position, kind, description, amount_cents
     FROM json_populate_recordset(NULL::invoice_lines, ?::json)`,
    [JSON.stringify(rows)],
  );
}

function factsOf(invoice: Invoice): OutboxEvent[] {
  const created = invoiceFact(invoice, 'invoice.created');
  return invoice.status === 'paid' ? [created, invoiceFact(invoice, 'invoice.paid')] : [created];
}
