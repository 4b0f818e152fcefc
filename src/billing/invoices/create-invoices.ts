/**
 * Making invoices: numbers without gaps, lines that add up to the amount, and the fact for subscribers. Everything
 * that bills anybody calls this, in the transaction that makes the debt.
 */
import type { Knex } from 'knex';
import { entryOf, itemAt } from '../../../engine/first-of.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { nextNumbers } from '../../shared/numbering.ts';
import { USUAL_DUE_DAYS } from '../../shared/sale-terms.ts';
import { post } from '../ledger/post.ts';
import { Invoice, type InvoiceKind, type InvoiceLine } from './invoice.model.ts';
import { invoiceFact } from './invoice-facts.ts';
import { invoicePosting } from './invoice-postings.ts';

export interface NewInvoice {
  readonly kind: InvoiceKind;
  /** Who owes it. */
  readonly userId: number;
  /** The team whose subscribers are notified of it: the seller's. */
  readonly teamId: number | null;
  readonly auctionId?: number;
  readonly lotId?: number;
  /** The bid that bought a part of the lot; null or absent: all of it was bought. */
  readonly bidId?: string | null;
  /** How many pieces it bought. */
  readonly take?: number | undefined;
  /** What the lot was bought with, of lots that are sold in any combination; absent: by itself. */
  readonly set?: unknown;
  readonly subscriptionId?: number;
  readonly campaignId?: number;
  readonly periodStart?: string;
  readonly periodEnd?: string;
  readonly currency: string;
  /** At least one; together they are the amount due. */
  readonly lines: readonly InvoiceLine[];
  /** A draft waits until somebody opens it. Default open. */
  readonly draft?: boolean;
  /** Days until it is due; null or absent: as is usual for its kind. */
  readonly termsDays?: number | null;
  /** The version of the conditions of sale that it is under. */
  readonly conditionsVersion?: number | null;
  /** The approved number for which it is without tax. */
  readonly taxNumberId?: number | null;
}

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
    `INSERT INTO invoices (invoice_number, kind, status, user_id, team_id, auction_id, lot_id, bid_id,
       take, set, subscription_id, campaign_id, period_start, period_end, currency, amount_due_cents, conditions_version,
       tax_number_id, parties, due_at, paid_at)
     SELECT invoice_number, kind, status, user_id, team_id, auction_id, lot_id, bid_id, take, set, subscription_id,
       campaign_id, period_start, period_end, currency, amount_due_cents, conditions_version, tax_number_id,
       json_build_object('buyer', ${BUYER_SQL}, 'seller', ${SELLER_SQL}),
       now() + terms_days * interval '1 day',
       CASE WHEN status = 'paid' THEN now() END
     FROM json_to_recordset(?::json) AS n (invoice_number text, kind text, status text, user_id bigint,
       team_id bigint, auction_id bigint, lot_id bigint, bid_id text, take int, set jsonb, subscription_id bigint, campaign_id bigint,
       period_start timestamptz, period_end timestamptz, currency text, amount_due_cents bigint, conditions_version int,
       tax_number_id bigint, terms_days int)`,
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

function rowOf(invoice: NewInvoice, number: string) {
  const dueCents = invoice.lines.reduce((sum, line) => sum + line.amount_cents, 0);
  const openOrPaid = dueCents === 0 ? 'paid' : 'open';
  return {
    invoice_number: number,
    kind: invoice.kind,
    status: invoice.draft === true ? 'draft' : openOrPaid,
    user_id: invoice.userId,
    team_id: invoice.teamId,
    auction_id: invoice.auctionId ?? null,
    lot_id: invoice.lotId ?? null,
    bid_id: invoice.bidId ?? null,
    take: invoice.take ?? null,
    set: invoice.set ?? null,
    subscription_id: invoice.subscriptionId ?? null,
    campaign_id: invoice.campaignId ?? null,
    period_start: invoice.periodStart ?? null,
    period_end: invoice.periodEnd ?? null,
    currency: invoice.currency,
    amount_due_cents: dueCents,
    conditions_version: invoice.conditionsVersion ?? null,
    tax_number_id: invoice.taxNumberId ?? null,
    terms_days: invoice.termsDays ?? TERMS_DAYS[invoice.kind],
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
     SELECT * FROM json_to_recordset(?::json)
       AS n (invoice_id bigint, position smallint, kind text, description text, amount_cents bigint)`,
    [JSON.stringify(rows)],
  );
}

function factsOf(invoice: Invoice): OutboxEvent[] {
  const created = invoiceFact(invoice, 'invoice.created');
  return invoice.status === 'paid' ? [created, invoiceFact(invoice, 'invoice.paid')] : [created];
}
