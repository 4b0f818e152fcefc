/** The figures of an auction's books: sums over postings, and what its settlement bills. */
import { totalCents } from '../../../engine/money.ts';
import { outstandingCents } from '../invoices/invoices.ts';
import { type BookRows, billedWinners, paidAtPlatformCents, sumOf } from './book-rows.ts';

/** Integer cents. */
export interface BookTotals {
  /** Of everything that was sold and billed, or is paid for where a floor bidder bought; refunds not taken off. */
  readonly hammer_cents: bigint;
  readonly premium_cents: bigint;
  readonly tax_cents: bigint;
  /** What the settlement bills the seller. */
  readonly commission_cents: bigint;
  readonly fees_cents: bigint;
  readonly deposits_held_cents: bigint;
  readonly deposits_credited_cents: bigint;
  readonly deposits_refunded_cents: bigint;
  /** What buyers paid for lots, here or where they bid; deposits apart. */
  readonly received_cents: bigint;
  readonly refunded_cents: bigint;
  readonly owed_by_buyers_cents: bigint;
  readonly owed_to_seller_cents: bigint;
  readonly paid_to_seller_cents: bigint;
  /** What was added to or taken off the seller's figures. */
  readonly adjustments_cents: bigint;
  /** What exceeds the bills. */
  readonly overpaid_cents: bigint;
  /** Of the fee, what the seller has paid by themselves; it is in what is paid or owed to them. */
  readonly fees_paid_by_seller_cents: bigint;
  /** Payments in the auction's currency that were meant for it and that no invoice took; in no other figure. */
  readonly unallocated_cents: bigint;
}

/** Adds everything up, in the auction's currency: the money of another one is no part of a sum. */
export function addUp(rows: BookRows): BookTotals {
  const { settlement, adjustments } = rows;
  const winners = billedWinners(rows);
  const platform = paidAtPlatformCents(rows);
  const commissions = settlement?.lines ?? rows.lines;
  const feeRows = adjustments.filter(({ row }) => row.kind === 'fee').map(({ row }) => row);
  const billed = { kinds: ['invoice', 'void'], of: 'winner' } as const;
  const unsettled = settlement === null ? platform : 0n;
  return {
    hammer_cents: platform - sumOf(rows, 'owed_to_sellers', billed),
    premium_cents: -sumOf(rows, 'premium', billed),
    tax_cents: -sumOf(rows, 'tax', billed),
    commission_cents:
      totalCents(commissions, (line) => line.commission_cents) +
      totalCents(feeRows, (row) => row.commission_cents),
    fees_cents: totalCents(commissions, (line) => totalCents(line.fees, (fee) => fee.amount_cents)),
    deposits_held_cents: -sumOf(rows, 'deposits_held'),
    deposits_credited_cents: sumOf(rows, 'deposits_held', { kinds: ['credit'] }),
    deposits_refunded_cents: sumOf(rows, 'deposits_held', { kinds: ['refund'] }),
    received_cents: platform - sumOf(rows, 'receivable', { kinds: ['allocation'], of: 'winner' }),
    refunded_cents: sumOf(rows, 'receivable', { kinds: ['refund'], of: 'winner' }),
    owed_by_buyers_cents: totalCents(
      winners.filter((invoice) => invoice.status === 'open'),
      outstandingCents,
    ),
    // What the fee’s invoice still asks for is kept back.
    owed_to_seller_cents:
      unsettled - sumOf(rows, 'owed_to_sellers') - sumOf(rows, 'receivable', { of: 'platform_fee' }),
    paid_to_seller_cents: sumOf(rows, 'owed_to_sellers', { kinds: ['payout'] }),
    adjustments_cents:
      totalCents(adjustments, ({ row }) => row.amount_cents) +
      totalCents(commissions, (line) => line.adjustment_cents),
    overpaid_cents: totalCents(
      winners.filter((invoice) => invoice.status !== 'open'),
      (invoice) => Math.max(0, invoice.amount_paid_cents - invoice.amount_due_cents),
    ),
    fees_paid_by_seller_cents: BigInt(rows.feePaidCents),
    unallocated_cents: -sumOf(rows, 'unallocated'),
  };
}
