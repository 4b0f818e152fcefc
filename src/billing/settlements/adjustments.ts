/**
 * What changes about an auction's money after its settlement was paid: the difference becomes a line of the team's
 * next settlement, or of one that is made for it. What was paid out stays as it was printed.
 */
import type { Knex } from 'knex';
import { sellerPaidCents } from './platform-fee.ts';
import {
  Adjustment,
  insertSettlement,
  Settlement,
  SettlementLineRow,
  saveSettlement,
} from './settlement.model.ts';
import type { SettlementLine } from './settlement-lines.ts';

interface Difference {
  readonly lotId: number | null;
  readonly description: string;
  readonly cents: number;
}

/**
 * Books what these lines differ by from what was paid out and adjusted since; doing it twice changes nothing.
 */
export async function adjustPaid(
  trx: Knex.Transaction,
  paid: Settlement,
  lines: readonly SettlementLine[],
): Promise<void> {
  const found = await differences(trx, paid, lines);
  if (found.length === 0) return;
  const carrier = await carrierFor(trx, paid);
  for (const { lotId, description, cents } of found) {
    await Adjustment.query(trx).insert({
      settlement_id: carrier.id,
      auction_id: paid.auction_id,
      lot_id: lotId,
      kind: 'sale',
      description,
      amount_cents: cents,
      commission_cents: 0,
    });
  }
}

async function differences(
  trx: Knex.Transaction,
  paid: Settlement,
  lines: readonly SettlementLine[],
): Promise<Difference[]> {
  const before = await SettlementLineRow.query(trx).where('settlement_id', paid.id);
  const adjusted = await Adjustment.query(trx).where({ auction_id: paid.auction_id, kind: 'sale' });
  const booked = (lotId: number | null) =>
    adjusted.filter((row) => row.lot_id === lotId).reduce((sum, row) => sum + row.amount_cents, 0);
  const found: Difference[] = lines.map((line) => ({
    lotId: line.lot_id,
    description: `Lot ${line.lot_number} after ${paid.statement_number}: ${line.title}`,
    cents:
      line.net_cents -
      (before.find((row) => row.lot_id === line.lot_id)?.net_cents ?? 0) -
      booked(line.lot_id),
  }));
  found.push({
    lotId: null,
    description: `Platform fee after ${paid.statement_number}`,
    cents: (await sellerPaidCents(trx, paid)) - paid.fee_paid_cents - booked(null),
  });
  return found.filter(({ cents }) => cents !== 0);
}

/** The team's next settlement that is not paid, back in preparation; made where there is none. */
async function carrierFor(trx: Knex.Transaction, paid: Settlement): Promise<Settlement> {
  const { team_id, currency, auction_id } = paid;
  const next = await Settlement.query(trx)
    .where({ team_id, currency })
    .whereNot('status', 'paid')
    .orderBy('id')
    .first();
  const fresh = { kind: 'adjustment', auction_id, team_id, status: 'pending', currency } as const;
  if (next === undefined) return insertSettlement(trx, { ...fresh, commission_bps: 0 });
  // Nobody has approved the figures that it has now.
  return next.status === 'approved'
    ? saveSettlement(trx, next, { status: 'pending', approved_at: null })
    : next;
}
