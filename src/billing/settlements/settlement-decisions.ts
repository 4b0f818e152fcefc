/**
 * What staff decide about a settlement: approving its figures, booking the pay-out, and opening it again. The command
 * line and the office call these; each throws a `Refusal` and has changed nothing then.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { Auction } from '../../bidding/records/auction.model.ts';
import { judge, requireAllowed } from '../../shared/policy/policy.ts';
import { SETTLEMENT_POLICY, type SettlementAction } from '../../shared/policy/settlement-policy.ts';
import { notFound } from '../../shared/refusal.ts';
import { movesFrom } from '../../shared/statuses/billing-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { holdMoney } from '../ledger/money-lock.ts';
import { openFee, takeFee } from './platform-fee.ts';
import { Adjustment, Settlement, SettlementLineRow, saveSettlement } from './settlement.model.ts';
import { totalsOf } from './settlement-lines.ts';
import { postPayout } from './settlement-postings.ts';
import { moveOn, NOW, remake, waitingFor } from './settlements.ts';

/**
 * Approves a pending settlement and opens the platform fee's invoice. Throws `invalid_transition` with `waiting_for`.
 */
export function approveSettlement(knex: Knex, id: number): Promise<Settlement> {
  return inTransaction(knex, async (trx) => {
    const settlement = await moveOn(trx, await lockSettlement(trx, id));
    await requireDecision(trx, settlement, 'approve');
    await openFee(trx, settlement);
    return saveSettlement(trx, settlement, { status: 'approved', approved_at: NOW });
  });
}

/**
 * Books the pay-out of an approved settlement: the fee is taken from what the sale brought, the rest is the seller's
 * (or, below zero, has come from them), and the auction is settled. Throws `invalid_transition` with `waiting_for`.
 */
export function paySettlement(knex: Knex, id: number): Promise<Settlement> {
  return inTransaction(knex, async (trx) => {
    const settlement = await lockSettlement(trx, id);
    await requireDecision(trx, settlement, 'pay');
    const lines = await SettlementLineRow.query(trx).where('settlement_id', id);
    const adjustments = await Adjustment.query(trx).where('settlement_id', id);
    const paidBeforeCents = await takeFee(trx, settlement);
    const payout = totalsOf(lines, adjustments).netCents + BigInt(paidBeforeCents);
    await postPayout(trx, settlement, payout, adjustments);
    await Auction.query(trx)
      .where({ id: settlement.auction_id, status: 'ended' })
      .patch({ status: 'settled' });
    return saveSettlement(trx, settlement, {
      status: 'paid',
      paid_at: NOW,
      fee_paid_cents: paidBeforeCents,
      // As text: it may have more digits than a number holds.
      payout_cents: raw('?::bigint', String(payout)),
    });
  });
}

/**
 * Puts a settlement that is not paid back into preparation, with its lines recalculated; it is pending again at once
 * where nothing is outstanding. Throws `invalid_transition` for one that is paid: what changes then is an adjustment.
 */
export function reopenSettlement(knex: Knex, id: number, reason: string): Promise<Settlement> {
  return inTransaction(knex, async (trx) => {
    const settlement = await lockSettlement(trx, id);
    await requireDecision(trx, settlement, 'reopen');
    const reopened = await remake(trx, settlement);
    return saveSettlement(trx, reopened, { reopened_at: NOW, reopened_reason: reason });
  });
}

/** A settlement as it is now, its team's money held. Throws `not_found`. */
async function lockSettlement(trx: Knex.Transaction, id: number): Promise<Settlement> {
  const found = await Settlement.query(trx).findById(id);
  if (found === undefined) throw notFound(`id: there is no settlement ${id}`);
  await holdMoney(trx, found.team_id);
  return Settlement.query(trx).findById(id).throwIfNotFound();
}

/** Only staff come here: by the office, or the command line. */
async function requireDecision(
  trx: Knex.Transaction,
  settlement: Settlement,
  action: Exclude<SettlementAction, 'list'>,
): Promise<void> {
  const { statement_number: number, status } = settlement;
  if (judge(SETTLEMENT_POLICY, action, status, 'staff') === 'allowed') return;
  const waiting = status === 'draft' ? await waitingFor(trx, settlement) : [];
  const allowed = movesFrom('settlement', status);
  const way =
    waiting.length > 0
      ? `it waits for ${waiting.join(', ')}`
      : allowed.length === 0
        ? 'later changes become an adjustment in the team’s next settlement'
        : `it may become ${allowed.join(' or ')}`;
  requireAllowed(SETTLEMENT_POLICY, action, status, 'staff', {
    message: `id: settlement ${number} is ${status}; ${way}`,
    data: { allowed, waiting_for: waiting },
  });
}
