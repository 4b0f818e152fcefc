/** The figures of an auction's books, each added up from one kind of row. */
import { totalCents } from '../../../engine/money.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { keptCents, outstandingCents } from '../invoices/invoices.ts';
import { billedWinners, type Ledger, linesOf, paidAtPlatformCents, paymentsOf } from './ledger.ts';

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
export function addUp(ledger: Ledger, currency: string): BookTotals {
  const { invoices, settlement, adjustments, payments } = ledger;
  const winners = billedWinners(ledger);
  const deposits = invoices.filter((invoice) => invoice.kind === 'deposit' && invoice.status !== 'voided');
  const platform = paidAtPlatformCents(ledger);
  const taken = paymentsOf(ledger, winners);
  const unallocated = payments.filter((row) => row.status === 'unallocated' && row.currency === currency);
  const commissions = settlement?.lines ?? ledger.lines;
  const feeRows = adjustments.filter(({ row }) => row.kind === 'fee').map(({ row }) => row);
  return {
    hammer_cents: linesOf(winners, 'hammer') + platform,
    premium_cents: linesOf(winners, 'premium'),
    tax_cents: linesOf(winners, 'tax'),
    commission_cents:
      totalCents(commissions, (line) => line.commission_cents) +
      totalCents(feeRows, (row) => row.commission_cents),
    fees_cents: totalCents(commissions, (line) => totalCents(line.fees, (fee) => fee.amount_cents)),
    deposits_held_cents: totalCents(deposits, (invoice) => keptCents(invoice) - invoice.credited_cents),
    deposits_credited_cents: totalCents(ledger.credits, (credit) => credit.amount_cents),
    deposits_refunded_cents: totalCents(deposits, (invoice) => invoice.amount_refunded_cents),
    received_cents: totalCents(taken, (row) => row.amount_cents) + platform,
    refunded_cents: totalCents(winners, (invoice) => invoice.amount_refunded_cents),
    owed_by_buyers_cents: totalCents(
      winners.filter((invoice) => invoice.status === 'open'),
      outstandingCents,
    ),
    ...sellerTotals(ledger),
    adjustments_cents:
      totalCents(adjustments, ({ row }) => row.amount_cents) +
      totalCents(commissions, (line) => line.adjustment_cents),
    overpaid_cents: totalCents(winners, (invoice) => overpaidCents(ledger, invoice)),
    unallocated_cents: totalCents(unallocated, (row) => row.amount_cents - row.refunded_cents),
  };
}

/**
 * The outcome of an invoice beyond what it bills, before anything went back; cover that ended with its refund counts as
 * paid.
 */
function overpaidCents(
  { released }: Ledger,
  { id, amount_due_cents, amount_paid_cents, status }: Invoice,
): bigint {
  if (status === 'open') return 0n;
  const covered = status === 'refunded' ? released.filter((row) => row.invoice_id === id) : [];
  const over = BigInt(amount_paid_cents - amount_due_cents) + totalCents(covered, (row) => row.amount_cents);
  return over > 0n ? over : 0n;
}

function sellerTotals(
  ledger: Ledger,
): Pick<BookTotals, 'owed_to_seller_cents' | 'paid_to_seller_cents' | 'fees_paid_by_seller_cents'> {
  const { settlement, adjustments, lines, payments, invoices } = ledger;
  const fee = invoices.find((invoice) => invoice.id === settlement?.fee_invoice_id);
  const byHand = payments.filter(
    (row) => row.invoice_id === fee?.id && row.status === 'applied' && row.provider !== 'settlement',
  );
  const feePaid = fee === undefined ? 0n : totalCents(byHand, (row) => row.amount_cents - row.refunded_cents);
  const isPaid = settlement?.status === 'paid';
  const net = totalCents(settlement?.lines ?? lines, (line) => line.net_cents);
  const elsewhere = (paid: boolean) =>
    totalCents(
      adjustments.filter(
        ({ row, carrierStatus }) => row.kind === 'sale' && (carrierStatus === 'paid') === paid,
      ),
      ({ row }) => row.amount_cents,
    );
  // What other auctions have put on this settlement is theirs, wherever it is paid.
  const carried = totalCents(ledger.carried, (row) => row.amount_cents - row.commission_cents);
  return {
    owed_to_seller_cents: (isPaid ? 0n : net + feePaid) + elsewhere(false),
    paid_to_seller_cents: (isPaid ? BigInt(settlement.payout_cents ?? 0) - carried : 0n) + elsewhere(true),
    fees_paid_by_seller_cents: feePaid,
  };
}
