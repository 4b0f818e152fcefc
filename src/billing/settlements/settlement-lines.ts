/**
 * The lines of a settlement: one for each lot that was sold, from the invoice that its buyer got. Worked out once when the auction has
 * ended, and again only when a sale fell through or found another buyer.
 */
import type { Knex } from 'knex';
import { shareOf } from '../../../engine/money.ts';

/** `invoice`: the buyer pays us. `platform`: a floor bidder without an account pays where they bid. `nobody`: the sale fell through. */
export type SettledBy = 'invoice' | 'platform' | 'nobody';

export interface Fee {
  readonly name: string;
  readonly amount_cents: number;
}

export interface SettlementLine {
  readonly lot_id: number;
  readonly invoice_id: number | null;
  readonly settled_by: SettledBy;
  readonly lot_number: number;
  readonly title: string;
  readonly hammer_cents: number;
  readonly commission_cents: number;
  readonly fees: readonly Fee[];
  readonly net_cents: number;
}

export interface Totals {
  readonly hammerCents: number;
  readonly commissionCents: number;
  readonly feesCents: number;
  readonly netCents: number;
}

interface SoldLot {
  readonly lot_id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly hammer_price_cents: number;
  readonly invoice_id: number | null;
  readonly invoice_hammer_cents: number | null;
  readonly invoiced: boolean;
}

/** What the auction's sales come to, lot by lot, at this commission. */
export async function workOutLines(
  trx: Knex.Transaction,
  auctionId: number,
  commissionBps: number,
): Promise<SettlementLine[]> {
  const { rows } = await trx.raw<{ rows: SoldLot[] }>(
    `SELECT l.id AS lot_id, l.lot_number, l.title, l.hammer_price_cents, i.id AS invoice_id,
       (SELECT n.amount_cents FROM invoice_lines n WHERE n.invoice_id = i.id AND n.kind = 'hammer')
         AS invoice_hammer_cents,
       EXISTS (SELECT 1 FROM invoices o WHERE o.lot_id = l.id AND o.kind = 'winner') AS invoiced
     FROM lots l
     LEFT JOIN invoices i ON i.lot_id = l.id AND i.kind = 'winner' AND i.status IN ('draft', 'open', 'paid')
     WHERE l.auction_id = ? AND l.status = 'sold'
     ORDER BY l.lot_number`,
    [auctionId],
  );
  return rows.map((lot) => lineOf(lot, commissionBps));
}

function lineOf(lot: SoldLot, commissionBps: number): SettlementLine {
  const settledBy: SettledBy = lot.invoice_id !== null ? 'invoice' : lot.invoiced ? 'nobody' : 'platform';
  const hammer = settledBy === 'nobody' ? 0 : (lot.invoice_hammer_cents ?? lot.hammer_price_cents);
  const commission = shareOf(hammer, commissionBps);
  return {
    lot_id: lot.lot_id,
    invoice_id: lot.invoice_id,
    settled_by: settledBy,
    lot_number: lot.lot_number,
    title: lot.title,
    hammer_cents: hammer,
    commission_cents: commission,
    fees: [],
    net_cents: hammer - commission,
  };
}

/** The sums over lines. */
export function totalsOf(lines: readonly SettlementLine[]): Totals {
  const sum = (of: (line: SettlementLine) => number) => lines.reduce((all, line) => all + of(line), 0);
  return {
    hammerCents: sum((line) => line.hammer_cents),
    commissionCents: sum((line) => line.commission_cents),
    feesCents: sum((line) => line.fees.reduce((all, fee) => all + fee.amount_cents, 0)),
    netCents: sum((line) => line.net_cents),
  };
}

/** Puts these lines in the place of those before. */
export async function writeLines(
  trx: Knex.Transaction,
  settlementId: number,
  lines: readonly SettlementLine[],
): Promise<void> {
  await trx('settlement_lines').where('settlement_id', settlementId).delete();
  const rows = lines.map((line) => ({ ...line, settlement_id: settlementId }));
  await trx.raw(
    `INSERT INTO settlement_lines (settlement_id, lot_id, invoice_id, settled_by, lot_number, title, hammer_cents,
       commission_cents, fees, net_cents)
     SELECT settlement_id, lot_id, invoice_id, settled_by, lot_number, title, hammer_cents, commission_cents, fees,
       net_cents
     FROM json_to_recordset(?::json) AS n (settlement_id bigint, lot_id bigint, invoice_id bigint, settled_by text,
       lot_number int, title text, hammer_cents bigint, commission_cents bigint, fees jsonb, net_cents bigint)
     ORDER BY lot_number`,
    [JSON.stringify(rows)],
  );
}
