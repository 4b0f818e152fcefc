/**
 * Settlements with sellers: one for each auction that is over, with the platform fee's invoice. A draft waits for buyers, a pending
 * one for staff's approval, an approved one for the payout; and nothing is paid out before every buyer has paid.
 */
import type { Knex } from 'knex';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import { nextNumbers } from '../../shared/numbering.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { createInvoices } from '../invoices/create-invoices.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { keptCents, outstandingCents, receive, voidInvoice } from '../invoices/invoices.ts';
import { ownerOf } from '../subscriptions/subscriptions.ts';
import { commissionOf } from './commission.ts';
import { type SettlementLine, totalsOf, workOutLines, writeLines } from './settlement-lines.ts';

export type SettlementStatus = 'draft' | 'pending' | 'approved' | 'paid';

export interface Settlement {
  readonly id: number;
  readonly statement_number: string;
  readonly auction_id: number;
  readonly team_id: number;
  readonly status: SettlementStatus;
  readonly currency: string;
  readonly commission_bps: number;
  readonly fee_invoice_id: number | null;
  /** What the seller was sent: the net, and what they had paid of the fee before. */
  readonly payout_cents: number | null;
  readonly approved_at: string | null;
  readonly paid_at: string | null;
  readonly created_at: string;
}

const AT_ONCE = 50;

/** Makes the settlements of auctions that are over and have none, and moves drafts on whose buyers have all paid. Returns how many it made. */
export async function settleAuctions(knex: Knex): Promise<number> {
  const { rows } = await knex.raw<{ rows: { id: number }[] }>(
    `SELECT a.id FROM auctions a
     WHERE NOT EXISTS (SELECT 1 FROM settlements s WHERE s.auction_id = a.id AND s.team_id = a.team_id)
       AND (a.status = 'ended' OR (a.status = 'cancelled'
         AND EXISTS (SELECT 1 FROM lots l WHERE l.auction_id = a.id AND l.status = 'sold')
         AND NOT EXISTS (SELECT 1 FROM lots l WHERE l.auction_id = a.id AND l.status IN ('scheduled', 'active'))))
     ORDER BY a.id LIMIT ${AT_ONCE}`,
  );
  for (const { id } of rows) await inTransaction(knex, (trx) => settleAuction(trx, id));
  await promoteDrafts(knex);
  return rows.length;
}

interface EndedAuction {
  readonly id: number;
  readonly title: string;
  readonly team_id: number;
  readonly currency: string;
}

async function settleAuction(trx: Knex.Transaction, auctionId: number): Promise<void> {
  const auction = await trx('auctions').where('id', auctionId).forNoKeyUpdate().first<EndedAuction>();
  if (auction === undefined) return;
  const there = await trx('settlements')
    .where({ auction_id: auctionId, team_id: auction.team_id })
    .first('id');
  if (there !== undefined) return;
  const commissionBps = await commissionOf(trx, auction.team_id);
  const lines = await workOutLines(trx, auctionId, commissionBps);
  const [number] = await nextNumbers(trx, 'SET', 1);
  const [settlement] = (await trx('settlements')
    .insert({
      statement_number: number,
      auction_id: auctionId,
      team_id: auction.team_id,
      currency: auction.currency,
      commission_bps: commissionBps,
    })
    .returning('*')) as Settlement[];
  await writeLines(trx, settlement!.id, lines);
  await appendEvents(trx, await billFee(trx, settlement!, lines, auction.title));
}

/** The platform fee: commission and fees, billed to the team's owner. */
async function billFee(
  trx: Knex.Transaction,
  settlement: Settlement,
  lines: readonly SettlementLine[],
  title: string,
): Promise<readonly OutboxEvent[]> {
  const ownerId = await ownerOf(trx, settlement.team_id);
  if (ownerId === null) return [];
  const { commissionCents, feesCents } = totalsOf(lines);
  const rate = (settlement.commission_bps / 100).toFixed(2);
  const commission = {
    kind: 'commission' as const,
    description: `Commission ${rate}%, ${title} (${settlement.statement_number})`,
    amount_cents: commissionCents,
  };
  const fees = { kind: 'fee' as const, description: 'Fees', amount_cents: feesCents };
  const { invoices, facts } = await createInvoices(trx, [
    {
      kind: 'platform_fee',
      userId: ownerId,
      teamId: settlement.team_id,
      auctionId: settlement.auction_id,
      currency: settlement.currency,
      lines: feesCents === 0 ? [commission] : [commission, fees],
    },
  ]);
  await trx('settlements').where('id', settlement.id).update({ fee_invoice_id: invoices[0]!.id });
  return facts;
}

/** Drafts whose buyers have all paid become pending, and pending ones drafts again where a buyer's money went back. */
async function promoteDrafts(knex: Knex): Promise<void> {
  const unpaid = `EXISTS (SELECT 1 FROM settlement_lines n JOIN invoices i ON i.id = n.invoice_id
    WHERE n.settlement_id = s.id AND n.settled_by = 'invoice' AND i.status <> 'paid')`;
  await knex.raw(`UPDATE settlements s SET status = 'pending' WHERE s.status = 'draft' AND NOT ${unpaid}`);
}

/** Works a settlement out again after a sale fell through or found another buyer. Throws `InputError` once it is approved. */
export async function reviseSettlement(
  trx: Knex.Transaction,
  auctionId: number,
): Promise<readonly OutboxEvent[]> {
  const settlement = await trx('settlements')
    .where('auction_id', auctionId)
    .forUpdate()
    .first<Settlement | undefined>();
  if (settlement === undefined) return [];
  if (settlement.status === 'approved' || settlement.status === 'paid') {
    throw new InputError(`lot: settlement ${settlement.statement_number} is ${settlement.status} already`);
  }
  const lines = await workOutLines(trx, auctionId, settlement.commission_bps);
  await writeLines(trx, settlement.id, lines);
  await trx('settlements').where('id', settlement.id).update({ status: 'draft' });
  const { commissionCents, feesCents } = totalsOf(lines);
  const fee = await lockFee(trx, settlement);
  if (fee === null || fee.amount_due_cents === commissionCents + feesCents) return [];
  // What the seller has paid of it already is made even with the payout.
  if (keptCents(fee) > 0) return [];
  const voided = fee.status === 'open' ? (await voidInvoice(trx, fee)).facts : [];
  const { title } = await trx('auctions').where('id', auctionId).first<{ title: string }>('title');
  return [...voided, ...(await billFee(trx, settlement, lines, title))];
}

/** Approves a settlement; one that still waits for buyers too, its payout waits on. Throws `InputError`. */
export function approveSettlement(knex: Knex, id: number): Promise<Settlement> {
  return inTransaction(knex, async (trx) => {
    const settlement = await lockSettlement(trx, id);
    if (settlement.status === 'approved' || settlement.status === 'paid') {
      throw new InputError(`id: settlement ${settlement.statement_number} is ${settlement.status} already`);
    }
    return save(trx, settlement, { status: 'approved', approved_at: trx.fn.now() });
  });
}

/**
 * Books the payout: the fee is taken from what the sale brought, the rest is the seller's, and the auction is settled. Throws
 * `InputError` while it is not approved or a buyer has not paid.
 */
export function paySettlement(knex: Knex, id: number): Promise<Settlement> {
  return inTransaction(knex, async (trx) => {
    // Invoices before the settlement, as everybody else locks them.
    const owing = await trx('settlement_lines as n')
      .join('invoices as i', 'i.id', 'n.invoice_id')
      .where('n.settlement_id', id)
      .orderBy('i.id')
      .forShare('i')
      .select<{ lot_number: number; status: string }[]>('n.lot_number', 'i.status');
    const settlement = await lockSettlement(trx, id);
    if (settlement.status !== 'approved') {
      const hint = settlement.status === 'paid' ? ' already' : '; approve it first';
      throw new InputError(`id: settlement ${settlement.statement_number} is ${settlement.status}${hint}`);
    }
    const unpaid = owing.filter((line) => line.status !== 'paid').map((line) => line.lot_number);
    if (unpaid.length > 0) {
      const names = unpaid.sort((a, b) => a - b).join(', ');
      throw new InputError(`id: not paid by their buyers yet: lot ${names}`);
    }
    return payOut(trx, settlement);
  });
}

async function payOut(trx: Knex.Transaction, settlement: Settlement): Promise<Settlement> {
  const lines: SettlementLine[] = await trx('settlement_lines').where('settlement_id', settlement.id);
  const fee = await lockFee(trx, settlement);
  const paidBefore = fee === null ? 0 : keptCents(fee);
  const facts = fee?.status === 'open' ? await takeFee(trx, settlement, fee) : [];
  await trx('auctions').where({ id: settlement.auction_id, status: 'ended' }).update({ status: 'settled' });
  const paid = await save(trx, settlement, {
    status: 'paid',
    paid_at: trx.fn.now(),
    payout_cents: totalsOf(lines).netCents + paidBefore,
  });
  await appendEvents(trx, facts);
  return paid;
}

async function takeFee(
  trx: Knex.Transaction,
  settlement: Settlement,
  fee: Invoice,
): Promise<readonly OutboxEvent[]> {
  const cents = outstandingCents(fee);
  await trx('payments').insert({
    payment_id: `settlement:${settlement.statement_number}`,
    invoice_id: fee.id,
    provider: 'settlement',
    status: 'applied',
    amount_cents: cents,
    currency: fee.currency,
  });
  return (await receive(trx, fee, cents)).facts;
}

async function lockFee(trx: Knex.Transaction, settlement: Settlement): Promise<Invoice | null> {
  if (settlement.fee_invoice_id === null) return null;
  const row = await trx('invoices')
    .where('id', settlement.fee_invoice_id)
    .forUpdate()
    .first<Invoice | undefined>();
  return row ?? null;
}

async function lockSettlement(trx: Knex.Transaction, id: number): Promise<Settlement> {
  const row = await trx('settlements').where('id', id).forUpdate().first<Settlement | undefined>();
  if (row === undefined) throw new InputError(`id: there is no settlement ${id}`);
  return row;
}

async function save(
  trx: Knex.Transaction,
  { id }: Settlement,
  columns: Record<string, unknown>,
): Promise<Settlement> {
  const [row] = await trx('settlements').where('id', id).update(columns).returning('*');
  return row as Settlement;
}
