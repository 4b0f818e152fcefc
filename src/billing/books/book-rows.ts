/** What the books of an auction are made of: the ledger's sums, and the rows that must agree with them. */
import type { Knex } from 'knex';
import { entryOf } from '../../../engine/first-of.ts';
import { totalCents } from '../../../engine/money.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Invoice, type InvoiceKind } from '../invoices/invoice.model.ts';
import type { Account, PostingKind } from '../ledger/chart-of-accounts.ts';
import { sellerPaidCents } from '../settlements/platform-fee.ts';
import { Adjustment, Settlement } from '../settlements/settlement.model.ts';
import { type SettlementLine, workOutLines } from '../settlements/settlement-lines.ts';
import { currentLines } from '../settlements/settlements.ts';
import { ENTRIES_SQL } from './accounts-read.ts';

/** The sum of an account's entries of one kind, on one kind of invoice, in the auction's currency. */
interface Sum {
  readonly account: Account;
  readonly kind: PostingKind;
  readonly invoice_kind: InvoiceKind | null;
  readonly amount: number | bigint;
}

export interface BookRows {
  readonly invoices: readonly Invoice[];
  readonly sums: readonly Sum[];
  /** The sales' present totals. */
  readonly lines: readonly SettlementLine[];
  readonly settlement: Settlement | null;
  /** Adjustments of this auction's figures, with the settlements that carry them. */
  readonly adjustments: readonly { row: Adjustment; carrierStatus: string }[];
  readonly soldLots: readonly Lot[];
  /** Of the fee, what the seller has paid by themselves. */
  readonly feePaidCents: number;
  /** Figures beside a row that are not what its entries sum to, by the row's name. */
  readonly wrongFigures: readonly { what: string; expected: number; found: number }[];
}

/** Reads it all; the caller's transaction sees one snapshot. */
export async function readBookRows(trx: Knex, auctionId: number, currency: string): Promise<BookRows> {
  const invoices = await Invoice.query(trx)
    .where('auction_id', auctionId)
    .whereIn('kind', ['winner', 'deposit', 'platform_fee'])
    .withGraphFetched('lines')
    .orderBy('id');
  const settlement = await Settlement.query(trx)
    .findOne({ auction_id: auctionId, kind: 'auction' })
    .withGraphFetched('lines');
  const adjustments = await Adjustment.query(trx).where('auction_id', auctionId).orderBy('id');
  const carriers = await Settlement.query(trx).whereIn(
    'id',
    adjustments.map((row) => row.settlement_id),
  );
  const statusOf = new Map(carriers.map((row) => [row.id, row.status]));
  // SQL: sums over tables without a model.
  const { rows: sums } = await trx.raw<{ rows: Sum[] }>(
    `SELECT account, kind, invoice_kind, sum(amount)::bigint AS amount FROM (${ENTRIES_SQL}) e
     WHERE auction_id = ? AND currency = ? GROUP BY 1, 2, 3`,
    [auctionId, currency],
  );
  return {
    invoices,
    sums,
    lines:
      settlement === undefined ? await workOutLines(trx, auctionId, 0) : await currentLines(trx, settlement),
    settlement: settlement ?? null,
    adjustments: adjustments.map((row) => ({ row, carrierStatus: entryOf(statusOf, row.settlement_id) })),
    soldLots: await Lot.query(trx).where({ auction_id: auctionId, status: 'sold' }).orderBy('lot_number'),
    feePaidCents: settlement === undefined ? 0 : await sellerPaidCents(trx, settlement),
    wrongFigures: await wrongFigures(trx, auctionId),
  };
}

async function wrongFigures(trx: Knex, auctionId: number): Promise<BookRows['wrongFigures']> {
  // SQL: compares each figure with its sum, for all rows at once.
  const { rows } = await trx.raw<{ rows: { what: string; expected: number; found: number }[] }>(
    `SELECT i.invoice_number || ': owed' AS what, coalesce(sum(e.amount), 0)::bigint AS expected,
       i.owed_cents AS found
     FROM invoices i LEFT JOIN ledger_entries e ON e.invoice_id = i.id AND e.account = 'receivable'
     WHERE i.auction_id = :auctionId GROUP BY i.id HAVING coalesce(sum(e.amount), 0) <> i.owed_cents
     UNION ALL
     SELECT i.invoice_number || ': payments', (coalesce(sum(-e.amount), 0))::bigint,
       i.amount_paid_cents - i.amount_refunded_cents
     FROM invoices i LEFT JOIN (ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id
       AND p.kind IN ('allocation', 'refund')) ON e.invoice_id = i.id AND e.account IN ('receivable', 'deposits_held')
     WHERE i.auction_id = :auctionId
     GROUP BY i.id HAVING coalesce(sum(-e.amount), 0) <> i.amount_paid_cents - i.amount_refunded_cents
     UNION ALL
     SELECT 'payment ' || y.payment_id || ': payments', coalesce(sum(e.amount), 0)::bigint, y.amount_cents
     FROM payments y JOIN invoices i ON i.id = y.invoice_id
     LEFT JOIN (ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id AND p.kind = 'payment')
       ON e.payment_id = y.id AND e.account = 'provider'
     WHERE i.auction_id = :auctionId AND y.status <> 'failed' AND y.provider <> 'settlement'
     GROUP BY y.id HAVING coalesce(sum(e.amount), 0) <> y.amount_cents`,
    { auctionId },
  );
  return rows;
}

export interface SumFilter {
  readonly kinds?: readonly PostingKind[];
  readonly of?: InvoiceKind;
}

/** An account's balance in the auction, of these kinds of postings, on this kind of invoice. */
export function sumOf({ sums }: BookRows, account: Account, { kinds, of }: SumFilter = {}): bigint {
  const fitting = sums.filter(
    (row) =>
      row.account === account &&
      (kinds === undefined || kinds.includes(row.kind)) &&
      (of === undefined || row.invoice_kind === of),
  );
  return totalCents(fitting, ({ amount }) => amount);
}

const BILLED: readonly string[] = ['open', 'paid', 'refunded'];

/** The winner invoices that count: those that were voided never did. */
export function billedWinners({ invoices }: BookRows): readonly Invoice[] {
  return invoices.filter((invoice) => invoice.kind === 'winner' && BILLED.includes(invoice.status));
}

/** What floor bidders without an account pay where they bid. */
export function paidAtPlatformCents({ lines }: BookRows): bigint {
  return totalCents(
    lines.filter((line) => line.settled_by === 'platform'),
    (line) => line.hammer_cents,
  );
}
