/**
 * Settlements with sellers: one for each auction that is over. A draft waits for buyers, a pending one for staff's
 * approval, an approved one for the pay-out. Whatever changes an amount before the pay-out recalculates its lines and
 * puts it back; after it, the difference is an adjustment. So there is always a way on.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { firstOf } from '../../../engine/first-of.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { forEachDue } from '../../shared/due-rows.ts';
import { OWED_INVOICES } from '../../shared/statuses/billing-statuses.ts';
import type { LotRowStatus } from '../../shared/statuses/lot-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import type { InvoiceChange } from '../invoices/follow-up.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { disputedPayments } from '../invoices/payment.model.ts';
import { holdMoney } from '../ledger/money-lock.ts';
import { adjustPaid } from './adjustments.ts';
import { commissionOf } from './commission.ts';
import { draftFee, followLines } from './platform-fee.ts';
import { insertSettlement, Settlement, saveSettlement } from './settlement.model.ts';
import { type SettlementLine, workOutLines, writeLines } from './settlement-lines.ts';
import { postLines } from './settlement-postings.ts';

/** Makes the settlements of auctions that are over and have none. Returns how many. */
export function settleAuctions(knex: Knex): Promise<number> {
  const unsettled = Auction.query(knex)
    .whereNotExists(
      Settlement.query()
        .whereColumn('settlements.auction_id', 'auctions.id')
        .whereColumn('settlements.team_id', 'auctions.team_id')
        .where('kind', 'auction'),
    )
    .where((over) =>
      over
        .where('status', 'ended')
        .orWhere((called) =>
          called
            .where('status', 'cancelled')
            .whereExists(lotsThatAre('sold'))
            .whereNotExists(lotsThatAre('scheduled', 'active')),
        ),
    );
  return forEachDue('the settlement of auction', unsettled, ({ id }) =>
    inTransaction(knex, (trx) => settleAuction(trx, id)),
  );
}

function lotsThatAre(...states: LotRowStatus[]) {
  return Lot.query().whereColumn('lots.auction_id', 'auctions.id').whereIn('lots.status', states);
}

async function settleAuction(trx: Knex.Transaction, auctionId: number): Promise<void> {
  const found = await Auction.query(trx).findById(auctionId);
  if (found === undefined) return;
  // A concurrent change of one of its invoices either precedes the reading of the lines or finds the settlement.
  await holdMoney(trx, found.team_id);
  const auction = await Auction.query(trx).findById(auctionId).forNoKeyUpdate().throwIfNotFound();
  if ((await auctionSettlement(trx, auctionId)) !== undefined) return;
  const commissionBps = await commissionOf(trx, auction.team_id);
  const lines = await workOutLines(trx, auctionId, commissionBps);
  const { team_id, currency } = auction;
  const columns = { kind: 'auction' as const, auction_id: auctionId, team_id, currency };
  const settlement = await insertSettlement(trx, { ...columns, commission_bps: commissionBps });
  await writeLines(trx, settlement.id, lines);
  await postLines(trx, settlement, lines);
  await draftFee(trx, settlement, lines);
  await moveOn(trx, settlement);
}

/** The settlement of an auction; not one that only carries adjustments. */
function auctionSettlement(trx: Knex.Transaction, auctionId: number): Promise<Settlement | undefined> {
  return Settlement.query(trx)
    .findOne({ auction_id: auctionId, kind: 'auction' })
    .then((row) => row);
}

/** The commission of the settlement `s` in basis points, as SQL. A voided fee is one that the operator waives. */
export const CHARGED_BPS_SQL = `(CASE WHEN EXISTS
  (SELECT FROM invoices f WHERE f.id = s.fee_invoice_id AND f.status = 'voided') THEN 0 ELSE s.commission_bps END)`;

/** An auction's present sales. */
export async function currentLines(knex: Knex, { id, auction_id }: Settlement): Promise<SettlementLine[]> {
  // SQL: a figure that is worked out, as consignors' statements read it too.
  const { rows } = await knex.raw<{ rows: { bps: number }[] }>(
    `SELECT ${CHARGED_BPS_SQL} AS bps FROM settlements s WHERE s.id = ?`,
    [id],
  );
  return workOutLines(knex, auction_id, firstOf(rows).bps);
}

/**
 * Follows a change of an auction's sales: the lines are recalculated and the settlement waits again, for buyers or for
 * its approval. After the pay-out the difference is booked as an adjustment. The caller holds the team's money.
 */
export async function reviseSettlement(trx: Knex.Transaction, auctionId: number): Promise<void> {
  const settlement = await auctionSettlement(trx, auctionId);
  if (settlement !== undefined) await remake(trx, settlement);
}

/** As `reviseSettlement`, of this settlement. */
export async function remake(trx: Knex.Transaction, settlement: Settlement): Promise<Settlement> {
  if (settlement.kind === 'adjustment') {
    return settlement.status === 'approved' ? setStatus(trx, settlement, 'pending') : settlement;
  }
  const lines = await currentLines(trx, settlement);
  await postLines(trx, settlement, lines);
  if (settlement.status === 'paid') {
    await adjustPaid(trx, settlement, lines);
    return settlement;
  }
  await writeLines(trx, settlement.id, lines);
  await followLines(trx, settlement, lines);
  return moveOn(trx, await setStatus(trx, settlement, 'draft'));
}

/** A draft that nothing keeps back is pending. */
export async function moveOn(trx: Knex.Transaction, settlement: Settlement): Promise<Settlement> {
  if (settlement.status !== 'draft' || (await waitingFor(trx, settlement)).length > 0) return settlement;
  return setStatus(trx, settlement, 'pending');
}

function setStatus(
  trx: Knex.Transaction,
  settlement: Settlement,
  status: 'draft' | 'pending',
): Promise<Settlement> {
  return saveSettlement(trx, settlement, { status, approved_at: null });
}

/** The numbers of the winner invoices that an auction's settlement waits for: those that are owed, or disputed. */
export async function waitingFor(knex: Knex, settlement: Settlement): Promise<string[]> {
  if (settlement.kind === 'adjustment') return [];
  const owed = await Invoice.query(knex)
    .where({ auction_id: settlement.auction_id, kind: 'winner' })
    .where((waits) => waits.whereIn('status', [...OWED_INVOICES]).orWhereExists(disputedPayments()))
    .orderBy('id');
  return owed.map((invoice) => invoice.invoice_number);
}

/** What a change of an invoice means for the settlement of its auction. */
export async function followSettledInvoice(
  trx: Knex.Transaction,
  invoice: Invoice,
  change: InvoiceChange,
): Promise<void> {
  const counts = invoice.kind === 'winner' || invoice.kind === 'platform_fee';
  if (!counts || invoice.auction_id === null || change === 'failed') return;
  if (change !== 'paid') await reviseSettlement(trx, invoice.auction_id);
  else if (invoice.kind === 'winner') {
    const settlement = await auctionSettlement(trx, invoice.auction_id);
    if (settlement !== undefined) await moveOn(trx, settlement);
  }
}

/** The moment of the transaction. */
export const NOW = raw('now()');
