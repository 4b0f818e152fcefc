/**
 * The lines of a settlement: one for each lot that was sold, from the invoice that its buyer got. Worked out when the
 * auction has ended, and again whenever a sale falls through, finds another buyer or is refunded; the books work them
 * out again to compare.
 */
import type { Knex } from 'knex';
import { totalCents } from '../../../engine/money.ts';
import { LIVE_INVOICE_SQL } from '../../shared/statuses/billing-statuses.ts';
import { commissionOn } from './commission.ts';
import { type Adjustment, SettlementLineRow } from './settlement.model.ts';

/**
 * `invoice`: the buyer pays us. `platform`: a floor bidder without an account pays where they bid. `nobody`: the sale
 * fell through.
 */
export type SettlementLine = Pick<
  SettlementLineRow,
  | 'lot_id'
  | 'invoice_id'
  | 'settled_by'
  | 'lot_number'
  | 'title'
  | 'hammer_cents'
  | 'commission_cents'
  | 'fees'
  | 'adjustment_cents'
  | 'net_cents'
>;

export interface Totals {
  readonly hammerCents: bigint;
  readonly commissionCents: bigint;
  readonly feesCents: bigint;
  readonly adjustmentCents: bigint;
  readonly netCents: bigint;
}

interface SoldLot {
  readonly lot_id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly hammer_price_cents: number;
  /** Null also where several have bought a part of it. */
  readonly invoice_id: number | null;
  /** How many invoices of it are live. */
  readonly live: number;
  readonly invoice_hammer_cents: number | null;
  readonly given_cents: number;
  readonly lost_cents: number;
  readonly invoiced: boolean;
}

/** The auction's sales, lot by lot, at this commission. */
export async function workOutLines(
  knex: Knex,
  auctionId: number,
  commissionBps: number,
): Promise<SettlementLine[]> {
  const lots = await readSoldLots(knex, 'l.auction_id = ?', auctionId);
  return lots.map((lot) => lineOf(lot, commissionBps));
}

/** The sales among single lots, each at its own commission: basis points by the lots' ids. */
export async function workOutLinesOf(
  knex: Knex,
  commissions: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, SettlementLine>> {
  const lots = await readSoldLots(knex, 'l.id = ANY(CAST(? AS bigint[]))', [...commissions.keys()]);
  return new Map(lots.map((lot) => [lot.lot_id, lineOf(lot, commissions.get(lot.lot_id) ?? 0)]));
}

async function readSoldLots(knex: Knex, which: string, value: number | number[]): Promise<SoldLot[]> {
  // SQL: each lot with its live invoices among any number that fell through: one, or one for each part that was bought.
  const { rows } = await knex.raw<{ rows: SoldLot[] }>(
    `SELECT l.id AS lot_id, l.lot_number, l.title, l.hammer_price_cents,
       CASE WHEN count(i.id) = 1 THEN min(i.id) END AS invoice_id, count(i.id)::int AS live,
       sum(billed.cents)::bigint AS invoice_hammer_cents,
       sum(borne.given_cents)::bigint AS given_cents, sum(borne.lost_cents)::bigint AS lost_cents,
       EXISTS (SELECT 1 FROM invoices o WHERE o.lot_id = l.id AND o.kind = 'winner') AS invoiced
     FROM lots l
     LEFT JOIN invoices i ON i.lot_id = l.id AND i.kind = 'winner' AND i.status IN ${LIVE_INVOICE_SQL}
     LEFT JOIN LATERAL (SELECT sum(n.amount_cents) AS cents FROM invoice_lines n
       WHERE n.invoice_id = i.id AND n.kind = 'hammer') billed ON true
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(e.amount) FILTER (WHERE p.kind = 'credit_note'), 0)::bigint AS given_cents,
         coalesce(sum(e.amount) FILTER (WHERE p.kind = 'dispute_lost'), 0)::bigint AS lost_cents
       FROM ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id
       WHERE e.invoice_id = i.id AND e.account = 'owed_to_sellers') borne
     WHERE ${which} AND (l.status = 'sold' OR i.id IS NOT NULL)
     GROUP BY l.id ORDER BY l.lot_number`,
    [value],
  );
  return rows;
}

function lineOf(lot: SoldLot, commissionBps: number): SettlementLine {
  const settledBy = lot.live > 0 ? 'invoice' : lot.invoiced ? 'nobody' : 'platform';
  const hammer = settledBy === 'nobody' ? 0 : (lot.invoice_hammer_cents ?? lot.hammer_price_cents);
  const { given_cents: credited, lost_cents: lost } = lot;
  const commission = commissionOn(hammer - credited, commissionBps);
  return {
    lot_id: lot.lot_id,
    invoice_id: lot.invoice_id,
    settled_by: settledBy,
    lot_number: lot.lot_number,
    title: lot.title,
    hammer_cents: hammer,
    commission_cents: commission,
    fees: [],
    // Not the negative of zero.
    adjustment_cents: 0 - credited - lost,
    net_cents: hammer - commission - credited - lost,
  };
}

/** The sums over lines and the adjustments carried alongside them. */
export function totalsOf(
  lines: readonly SettlementLine[],
  adjustments: readonly Pick<Adjustment, 'commission_cents' | 'amount_cents'>[] = [],
): Totals {
  const commission = totalCents(adjustments, (row) => row.commission_cents);
  const adjusted = totalCents(adjustments, (row) => row.amount_cents);
  return {
    hammerCents: totalCents(lines, (line) => line.hammer_cents),
    commissionCents: totalCents(lines, (line) => line.commission_cents) + commission,
    feesCents: totalCents(lines, (line) => totalCents(line.fees, (fee) => fee.amount_cents)),
    adjustmentCents: totalCents(lines, (line) => line.adjustment_cents) + adjusted,
    netCents: totalCents(lines, (line) => line.net_cents) + adjusted - commission,
  };
}

/** SQL for what the settlement `s` comes to, as `totalsOf` adds it up. */
export const NET_SQL = `(SELECT coalesce(sum(net_cents), 0) FROM settlement_lines WHERE settlement_id = s.id)
  + (SELECT coalesce(sum(amount_cents - commission_cents), 0) FROM settlement_adjustments
     WHERE settlement_id = s.id)`;

/** Puts these lines instead of those before. */
export async function writeLines(
  trx: Knex.Transaction,
  settlementId: number,
  lines: readonly SettlementLine[],
): Promise<void> {
  await SettlementLineRow.query(trx).delete().where('settlement_id', settlementId);
  const rows = lines.map((line) => ({ ...line, settlement_id: settlementId }));
  const columns = `settlement_id, lot_id, invoice_id, settled_by, lot_number, title, hammer_cents, commission_cents, fees,
    adjustment_cents, net_cents`;
  // SQL: an auction may have thousands of lots, in one statement.
  await trx.raw(
    `INSERT INTO settlement_lines (${columns}) SELECT ${columns}
     FROM json_populate_recordset(NULL::settlement_lines, ?::json) ORDER BY lot_number`,
    [JSON.stringify(rows)],
  );
}
