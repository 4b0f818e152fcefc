/** What the books of an auction are made of: its rows, read in one snapshot, and the sums over them. */
import type { Knex } from 'knex';
import { entryOf } from '../../../engine/first-of.ts';
import { totalCents } from '../../../engine/money.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { DepositCredit, Invoice } from '../invoices/invoice.model.ts';
import { Payment, Refund } from '../invoices/payment.model.ts';
import { Adjustment, Settlement } from '../settlements/settlement.model.ts';
import { type SettlementLine, workOutLines } from '../settlements/settlement-lines.ts';
import { currentLines } from '../settlements/settlements.ts';

export interface Ledger {
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  /** Those that were taken off an invoice. */
  readonly refunds: readonly Refund[];
  readonly credits: readonly DepositCredit[];
  /** Credits that ended when their invoice fell through. */
  readonly released: readonly DepositCredit[];
  /** The sales' present totals. */
  readonly lines: readonly SettlementLine[];
  readonly settlement: Settlement | null;
  /** Adjustments of this auction's figures, with the settlements that carry them. */
  readonly adjustments: readonly { row: Adjustment; carrierStatus: string }[];
  /** What the auction's own settlement carries, for this or for other auctions. */
  readonly carried: readonly Adjustment[];
  readonly soldLots: readonly Lot[];
}

/** Reads it all; the caller's transaction sees one snapshot. */
export async function readLedger(trx: Knex.Transaction, auctionId: number): Promise<Ledger> {
  const invoices = await Invoice.query(trx)
    .where('auction_id', auctionId)
    .whereIn('kind', ['winner', 'deposit', 'platform_fee'])
    .withGraphFetched('lines')
    .orderBy('id');
  const ids = invoices.map((invoice) => invoice.id);
  const settlement = await Settlement.query(trx)
    .findOne({ auction_id: auctionId, kind: 'auction' })
    .withGraphFetched('[lines, adjustments]');
  const adjustments = await Adjustment.query(trx).where('auction_id', auctionId).orderBy('id');
  const carriers = await Settlement.query(trx).whereIn(
    'id',
    adjustments.map((row) => row.settlement_id),
  );
  const credits = await DepositCredit.query(trx).whereIn('deposit_invoice_id', ids);
  const statusOf = new Map(carriers.map((row) => [row.id, row.status]));
  return {
    invoices,
    payments: await Payment.query(trx).whereIn('invoice_id', ids).orderBy('id'),
    refunds: await Refund.query(trx).whereIn('invoice_id', ids).where('status', 'applied'),
    credits: credits.filter((row) => row.released_at === null),
    released: credits.filter((row) => row.released_at !== null),
    lines:
      settlement === undefined ? await workOutLines(trx, auctionId, 0) : await currentLines(trx, settlement),
    settlement: settlement ?? null,
    adjustments: adjustments.map((row) => ({ row, carrierStatus: entryOf(statusOf, row.settlement_id) })),
    carried: settlement?.adjustments ?? [],
    soldLots: await Lot.query(trx).where({ auction_id: auctionId, status: 'sold' }).orderBy('lot_number'),
  };
}

const BILLED: readonly string[] = ['open', 'paid', 'refunded'];

/** The winner invoices that count: those that were voided never did. */
export function billedWinners({ invoices }: Ledger): readonly Invoice[] {
  return invoices.filter((invoice) => invoice.kind === 'winner' && BILLED.includes(invoice.status));
}

/** The sum of an invoice's lines of a kind. */
export function linesOf(invoices: readonly Invoice[], kind: string): bigint {
  return totalCents(invoices, (invoice) =>
    totalCents(
      (invoice.lines ?? []).filter((line) => line.kind === kind),
      (line) => line.amount_cents,
    ),
  );
}

/** What floor bidders without an account pay where they bid. */
export function paidAtPlatformCents({ lines }: Ledger): bigint {
  return totalCents(
    lines.filter((line) => line.settled_by === 'platform'),
    (line) => line.hammer_cents,
  );
}

/** Payments that an invoice holds, as the payments' own rows say. */
export function paymentsOf({ payments }: Ledger, invoices: readonly Invoice[]): readonly Payment[] {
  const ids = new Set(invoices.map((invoice) => invoice.id));
  return payments.filter(
    (row) => row.status === 'applied' && row.invoice_id !== null && ids.has(row.invoice_id),
  );
}
