/**
 * What must hold in the books of an auction. Each check compares figures that are kept in different places; what does
 * not meet is named with both, in integer cents.
 */
import { totalCents } from '../../../engine/money.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { keptCents, outstandingCents, surplusCents } from '../invoices/invoices.ts';
import type { SettlementLine } from '../settlements/settlement-lines.ts';
import { type BookRows, billedWinners, paidAtPlatformCents, sumOf } from './book-rows.ts';
import type { BookTotals } from './totals.ts';

export interface Difference {
  /** What does not meet, such as `INV-2026-00001: payments`. */
  readonly what: string;
  readonly expected_cents: bigint;
  readonly found_cents: bigint;
}

type Check = (rows: BookRows, totals: BookTotals) => Difference[];

/** Everything that does not meet. */
export function findDifferences(rows: BookRows, totals: BookTotals): Difference[] {
  return CHECKS.flatMap((check) => check(rows, totals)).filter(
    ({ expected_cents, found_cents }) => expected_cents !== found_cents,
  );
}

function check(what: string, expected: number | bigint, found: number | bigint): Difference {
  return { what, expected_cents: BigInt(expected), found_cents: BigInt(found) };
}

/** An invoice is what its lines and its entries say, and its status what they sum to. */
const invoicesHold: Check = ({ invoices, wrongFigures }) => [
  ...wrongFigures.map(({ what, expected, found }) => check(what, expected, found)),
  ...invoices.flatMap((invoice) => {
    const { invoice_number: number, status } = invoice;
    const lines = totalCents(invoice.lines ?? [], (line) => line.amount_cents);
    const credited = invoice.kind === 'deposit' ? 0 : invoice.credited_cents;
    return [
      check(`${number}: lines`, lines, invoice.amount_due_cents + credited),
      check(`${number}: ${status}`, 1, Number(fits(invoice))),
    ];
  }),
];

/** Whether an invoice's status is what its sums say. */
function fits(invoice: Invoice): boolean {
  const { kind, status, owed_cents: owed, credited_cents: credited } = invoice;
  const kept = keptCents(invoice);
  if (status === 'draft') return owed === 0 && kept === 0;
  if (status === 'open') return outstandingCents(invoice) > 0;
  if (status === 'paid') return kind === 'deposit' ? kept > 0 : owed <= 0;
  return owed === 0 && credited === 0 && kept === 0;
}

/**
 * Each sold lot was billed to somebody with an account, at most once at a time; where several have a part of it, each
 * part once.
 */
const soldLotsAreBilled: Check = ({ soldLots, invoices }) =>
  soldLots.flatMap(({ id, lot_number, winner_user_id }) => {
    const billed = invoices.filter((invoice) => invoice.kind === 'winner' && invoice.lot_id === id);
    const hasAccount = winner_user_id !== null || billed.some(({ bid_id }) => bid_id !== null);
    const live = billed.filter(({ status }) => status === 'open' || status === 'paid');
    const parts = new Set(live.map(({ bid_id }) => bid_id));
    return [
      check(`lot ${lot_number}: invoices that are owed or paid`, parts.size, live.length),
      check(`lot ${lot_number}: is billed`, Number(hasAccount), Number(hasAccount && billed.length > 0)),
    ];
  });

/** What was billed was paid, is covered by deposits, or is owed; what was paid beyond it is known. */
const buyersMeet: Check = (rows, totals) => {
  const paid = billedWinners(rows).filter(({ status }) => status === 'paid');
  const surplus = totalCents(paid, (invoice) => Math.max(0, surplusCents(invoice)));
  return [
    check(
      'buyers: billed is received, credited or owed',
      totals.owed_by_buyers_cents - surplus,
      sumOf(rows, 'receivable', { of: 'winner' }),
    ),
  ];
};

/** Deposits that came are held, credited or back, and only held ones are credited. */
const depositsMeet: Check = ({ invoices }, totals) => {
  const deposits = invoices.filter((invoice) => invoice.kind === 'deposit');
  return [
    check(
      'deposits: received is held, credited or refunded',
      totalCents(deposits, (row) => row.amount_paid_cents),
      totals.deposits_held_cents + totals.deposits_credited_cents + totals.deposits_refunded_cents,
    ),
    check(
      'deposits: only held deposits are credited',
      0,
      deposits.filter((row) => keptCents(row) < row.credited_cents).length,
    ),
  ];
};

/** What the ledger has taken of the sales is what their lines say now. */
const commissionMeets: Check = (rows) => {
  if (rows.settlement === null) return [];
  const { lines } = rows;
  return [
    check(
      'commission: posted is charged',
      totalCents(lines, (line) => line.commission_cents),
      -sumOf(rows, 'commission', { kinds: ['commission'] }),
    ),
    check('platforms: posted is sold', paidAtPlatformCents(rows), sumOf(rows, 'at_platforms')),
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
    // One that was sold after the pay-out has no line there: all of it is adjusted.
    const sums = before === undefined ? [] : [check(`${what} adds up`, netOf(before), before.net_cents)];
    if (settlement.status !== 'paid') {
      return [...sums, check(`${what}: net`, line.net_cents, before?.net_cents ?? 0)];
    }
    const adjusted = adjustments.filter(({ row }) => row.kind === 'sale' && row.lot_id === line.lot_id);
    const now = BigInt(before?.net_cents ?? 0) + totalCents(adjusted, ({ row }) => row.amount_cents);
    return [...sums, check(`${what}: net with adjustments`, line.net_cents, now)];
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
const sellerMeets: Check = ({ settlement, lines, adjustments, feePaidCents }, totals) => {
  if (settlement === null) return [];
  const feeLate = totalCents(
    adjustments.filter(({ row }) => row.kind === 'sale' && row.lot_id === null),
    ({ row }) => row.amount_cents,
  );
  const feePaid = settlement.status === 'paid' ? BigInt(settlement.fee_paid_cents) + feeLate : feePaidCents;
  const open = adjustments.filter(
    ({ row, carrierStatus }) => row.kind === 'sale' && carrierStatus !== 'paid',
  );
  return [
    check('seller: fee paid by the seller', feePaidCents, feePaid),
    check(
      'seller: sales less commission are owed or paid',
      totalCents(lines, (line) => line.net_cents) + BigInt(feePaidCents),
      totals.owed_to_seller_cents + totals.paid_to_seller_cents,
    ),
    ...(settlement.status === 'paid'
      ? [
          check(
            'seller: what is owed after the pay-out is adjusted',
            totalCents(open, ({ row }) => row.amount_cents),
            totals.owed_to_seller_cents,
          ),
        ]
      : []),
  ];
};

/**
 * The sales that the settlement counts are the invoices that are not void, and what floor bidders pay where they bid.
 */
const salesMeet: Check = (rows) => {
  const charged = billedWinners(rows).filter(({ status }) => status !== 'refunded');
  const hammers = charged.flatMap(({ lines = [] }) => lines.filter(({ kind }) => kind === 'hammer'));
  return [
    check(
      'sales: settled is billed',
      totalCents(hammers, (line) => line.amount_cents) + paidAtPlatformCents(rows),
      totalCents(rows.lines, (line) => line.hammer_cents),
    ),
  ];
};

const CHECKS: readonly Check[] = [
  invoicesHold,
  soldLotsAreBilled,
  buyersMeet,
  depositsMeet,
  commissionMeets,
  settlementMeets,
  feeMeets,
  sellerMeets,
  salesMeet,
];
