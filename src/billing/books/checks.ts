/**
 * What must hold in the books of an auction. Each check compares figures that are kept in different places; what does
 * not meet is named with both, in integer cents.
 */
import { totalCents } from '../../../engine/money.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import type { SettlementLine } from '../settlements/settlement-lines.ts';
import { billedWinners, type Ledger, linesOf, paidAtPlatformCents, paymentsOf } from './ledger.ts';
import type { BookTotals } from './totals.ts';

export interface Difference {
  /** What does not meet, such as `INV-2026-00001: payments`. */
  readonly what: string;
  readonly expected_cents: bigint;
  readonly found_cents: bigint;
}

type Check = (ledger: Ledger, totals: BookTotals) => Difference[];

/** Everything that does not meet. */
export function findDifferences(ledger: Ledger, totals: BookTotals): Difference[] {
  return CHECKS.flatMap((check) => check(ledger, totals)).filter(
    ({ expected_cents, found_cents }) => expected_cents !== found_cents,
  );
}

function check(what: string, expected: number | bigint, found: number | bigint): Difference {
  return { what, expected_cents: BigInt(expected), found_cents: BigInt(found) };
}

/** An invoice is what its lines, its payments, its refunds and its credits say. */
const invoicesHold: Check = (ledger) =>
  ledger.invoices.flatMap((invoice) => {
    const { id, invoice_number: number, status } = invoice;
    const covers = invoice.kind === 'deposit' ? 0 : invoice.credited_cents;
    const lines = totalCents(invoice.lines ?? [], (line) => line.amount_cents);
    const payments = paymentsOf(ledger, [invoice]);
    const refunds = totalCents(
      ledger.refunds.filter((row) => row.invoice_id === id),
      (row) => row.amount_cents,
    );
    const credits = ledger.credits.filter((row) =>
      invoice.kind === 'deposit' ? row.deposit_invoice_id === id : row.invoice_id === id,
    );
    const checks = [
      check(`${number}: lines`, lines, invoice.amount_due_cents + covers),
      check(
        `${number}: credits`,
        totalCents(credits, (row) => row.amount_cents),
        invoice.credited_cents,
      ),
    ];
    // The payments of a voided invoice are unallocated, or on another.
    if (status === 'voided') return checks;
    return [
      ...checks,
      check(
        `${number}: payments`,
        totalCents(payments, (row) => row.amount_cents),
        invoice.amount_paid_cents,
      ),
      check(`${number}: refunds`, refunds, invoice.amount_refunded_cents),
      check(
        `${number}: refunds of payments`,
        totalCents(payments, (row) => row.refunded_cents),
        invoice.amount_refunded_cents,
      ),
      check(
        `${number}: paid in full`,
        Number(isPaid(invoice)),
        Number(status === 'paid' || status === 'refunded'),
      ),
    ];
  });

function isPaid({ status, amount_due_cents, amount_paid_cents, amount_refunded_cents }: Invoice): boolean {
  if (status === 'paid') return amount_paid_cents >= amount_due_cents;
  if (status === 'refunded') return amount_paid_cents === amount_refunded_cents;
  return status === 'open' && amount_due_cents <= amount_paid_cents - amount_refunded_cents;
}

/** Each sold lot was billed to somebody with an account, at most once at a time. */
const soldLotsAreBilled: Check = ({ soldLots, invoices }) =>
  soldLots.flatMap(({ id, lot_number, winner_user_id }) => {
    const hasAccount = winner_user_id !== null;
    const billed = invoices.filter((invoice) => invoice.kind === 'winner' && invoice.lot_id === id);
    const live = billed.filter(({ status }) => status === 'open' || status === 'paid').length;
    return [
      check(`lot ${lot_number}: invoices that are owed or paid`, Math.min(1, live), live),
      check(`lot ${lot_number}: is billed`, Number(hasAccount), Number(hasAccount && billed.length > 0)),
    ];
  });

/**
 * What was billed was paid, is covered by deposits, or is owed; over-payments, early refunds, and cover that ended with
 * a refund are accounted for.
 */
const buyersMeet: Check = (ledger, totals) => {
  const winners = billedWinners(ledger);
  const refunded = new Set(winners.filter(({ status }) => status === 'refunded').map(({ id }) => id));
  const uncovered = ledger.released.filter((row) => refunded.has(row.invoice_id));
  const early = winners.filter(({ status }) => status === 'open');
  return [
    check(
      'buyers: billed is received, credited or owed',
      totals.hammer_cents + totals.premium_cents + totals.tax_cents,
      totals.received_cents -
        totals.overpaid_cents -
        totalCents(early, (row) => row.amount_refunded_cents) +
        totals.deposits_credited_cents +
        totalCents(uncovered, (row) => row.amount_cents) +
        totals.owed_by_buyers_cents,
    ),
  ];
};

/** Deposits that came are held, credited or back. */
const depositsMeet: Check = (ledger, totals) => {
  const deposits = ledger.invoices.filter((invoice) => invoice.kind === 'deposit');
  return [
    check(
      'deposits: received is held, credited or refunded',
      totalCents(paymentsOf(ledger, deposits), (row) => row.amount_cents),
      totals.deposits_held_cents + totals.deposits_credited_cents + totals.deposits_refunded_cents,
    ),
    check(
      'deposits: only held deposits are credited',
      0,
      totals.deposits_held_cents < 0n ? totals.deposits_held_cents : 0,
    ),
  ];
};

/** The settlement's lines are the sales as they are, or were when they were paid out, adjusted since. */
const settlementMeets: Check = ({ settlement, lines, adjustments }) => {
  if (settlement === null) return [];
  const number = settlement.statement_number;
  const written = settlement.lines ?? [];
  return lines.flatMap((line) => {
    const before = written.find((row) => row.lot_id === line.lot_id);
    const what = `${number}: lot ${line.lot_number}`;
    const sums = check(`${what} adds up`, netOf(before ?? line), before?.net_cents ?? 0);
    if (settlement.status !== 'paid') {
      return [sums, check(`${what}: net`, line.net_cents, before?.net_cents ?? 0)];
    }
    const adjusted = adjustments.filter(({ row }) => row.kind === 'sale' && row.lot_id === line.lot_id);
    const now = BigInt(before?.net_cents ?? 0) + totalCents(adjusted, ({ row }) => row.amount_cents);
    return [sums, check(`${what}: net with adjustments`, line.net_cents, now)];
  });
};

function netOf({ hammer_cents, commission_cents, fees, adjustment_cents }: SettlementLine): bigint {
  const cents = BigInt(hammer_cents - commission_cents + adjustment_cents);
  return cents - totalCents(fees, (fee) => fee.amount_cents);
}

/** The fee's invoice bills the commission and fees of the settlement, unless it was voided. */
const feeMeets: Check = ({ settlement, invoices }, totals) => {
  const fee = invoices.find((invoice) => invoice.id === settlement?.fee_invoice_id);
  if (fee === undefined || fee.status === 'voided') return [];
  return [
    check(
      `${fee.invoice_number}: commission and fees`,
      totals.commission_cents + totals.fees_cents,
      fee.amount_due_cents,
    ),
    check(
      'platform fees: one invoice',
      1,
      invoices.filter((row) => row.kind === 'platform_fee' && row.status !== 'voided').length,
    ),
  ];
};

/** The seller is owed or was paid the sales less what the house takes, and what they paid of the fee themselves. */
const sellerMeets: Check = ({ settlement, lines, adjustments }, totals) => {
  if (settlement === null) return [];
  const isPaid = settlement.status === 'paid';
  const feeLate = totalCents(
    adjustments.filter(({ row }) => row.kind === 'sale' && row.lot_id === null),
    ({ row }) => row.amount_cents,
  );
  const feePaid = isPaid ? BigInt(settlement.fee_paid_cents) + feeLate : totals.fees_paid_by_seller_cents;
  return [
    check('seller: fee paid by the seller', totals.fees_paid_by_seller_cents, feePaid),
    check(
      'seller: sales less commission are owed or paid',
      totalCents(lines, (line) => line.net_cents) + totals.fees_paid_by_seller_cents,
      totals.owed_to_seller_cents + totals.paid_to_seller_cents,
    ),
  ];
};

/**
 * The sales that the settlement counts are the invoices that are not void, and what floor bidders pay where they bid.
 */
const salesMeet: Check = (ledger) => {
  const charged = billedWinners(ledger).filter(({ status }) => status !== 'refunded');
  return [
    check(
      'sales: settled is billed',
      linesOf(charged, 'hammer') + paidAtPlatformCents(ledger),
      totalCents(ledger.lines, (line) => line.hammer_cents),
    ),
  ];
};

const CHECKS: readonly Check[] = [
  invoicesHold,
  soldLotsAreBilled,
  buyersMeet,
  depositsMeet,
  settlementMeets,
  feeMeets,
  sellerMeets,
  salesMeet,
];
