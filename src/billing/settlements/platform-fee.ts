/**
 * The platform fee's invoice: one for each auction, a draft that follows the settlement's lines under its number until
 * the settlement is approved, then open and final. What later exceeds the lines is given back as an adjustment.
 */

import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { createInvoices } from '../invoices/create-invoices.ts';
import { Invoice, type InvoiceLine } from '../invoices/invoice.model.ts';
import {
  covered,
  keptCents,
  openInvoice,
  outstandingCents,
  paidEntry,
  rewriteDraft,
} from '../invoices/invoices.ts';
import { Payment, PaymentShare } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import { ownerOf } from '../subscriptions/subscriptions.ts';
import { Adjustment, Settlement } from './settlement.model.ts';
import { type SettlementLine, totalsOf } from './settlement-lines.ts';

/** The provider of fee payments made from the settlement itself: no money moves for them. */
export const SETTLEMENT_PROVIDER = 'settlement';

/** The fee's invoice of a settlement; null where there is none. */
async function feeOf(trx: Knex.Transaction, { fee_invoice_id: id }: Settlement): Promise<Invoice | null> {
  return id === null ? null : ((await Invoice.query(trx).findById(id)) ?? null);
}

/** Makes the draft, billed to the team's owner; nobody is billed where the team has none. */
export async function draftFee(
  trx: Knex.Transaction,
  settlement: Settlement,
  lines: readonly SettlementLine[],
): Promise<readonly OutboxEvent[]> {
  const ownerId = await ownerOf(trx, settlement.team_id);
  if (ownerId === null) return [];
  const { invoices, facts } = await createInvoices(trx, [
    {
      kind: 'platform_fee',
      userId: ownerId,
      teamId: settlement.team_id,
      auctionId: settlement.auction_id,
      currency: settlement.currency,
      lines: await feeLines(trx, settlement, lines),
      draft: true,
    },
  ]);
  await Settlement.query(trx)
    .findById(settlement.id)
    .patch({ fee_invoice_id: firstOf(invoices).id });
  return facts;
}

async function feeLines(
  trx: Knex.Transaction,
  settlement: Settlement,
  lines: readonly SettlementLine[],
): Promise<InvoiceLine[]> {
  const { title } = await Auction.query(trx).findById(settlement.auction_id).throwIfNotFound();
  const { commissionCents, feesCents } = totalsOf(lines);
  const rate = (settlement.commission_bps / 100).toFixed(2);
  const description = `Commission ${rate}%, ${title} (${settlement.statement_number})`;
  const commission = { kind: 'commission' as const, description, amount_cents: oneAmount(commissionCents) };
  const fees = { kind: 'fee' as const, description: 'Fees', amount_cents: oneAmount(feesCents) };
  return feesCents === 0n ? [commission] : [commission, fees];
}

/** A sum as one amount, as an invoice is over. What is summed up is bounded so that a number holds it to the cent. */
export function oneAmount(cents: bigint): number {
  const amount = Number(cents);
  if (Number.isSafeInteger(amount)) return amount;
  throw new RangeError(`${cents} of the smallest unit is more than one invoice can charge`);
}

/**
 * Makes the fee follow new lines: a draft is rewritten; what one that is out bills otherwise is given back by the
 * settlement.
 */
export async function followLines(
  trx: Knex.Transaction,
  settlement: Settlement,
  lines: readonly SettlementLine[],
): Promise<void> {
  await Adjustment.query(trx).delete().where({ settlement_id: settlement.id, kind: 'fee' });
  const fee = await feeOf(trx, settlement);
  if (fee === null || fee.status === 'voided') return;
  if (fee.status === 'draft') {
    await rewriteDraft(trx, fee, await feeLines(trx, settlement, lines));
    return;
  }
  const { commissionCents, feesCents } = totalsOf(lines);
  const above = oneAmount(BigInt(fee.amount_due_cents) - commissionCents - feesCents);
  if (above === 0) return;
  await Adjustment.query(trx).insert({
    settlement_id: settlement.id,
    auction_id: settlement.auction_id,
    lot_id: null,
    kind: 'fee',
    description: `${fee.invoice_number} was made for other figures`,
    commission_cents: above,
    amount_cents: above,
  });
}

/** Opens the draft. */
export async function openFee(
  trx: Knex.Transaction,
  settlement: Settlement,
): Promise<readonly OutboxEvent[]> {
  const fee = await feeOf(trx, settlement);
  return fee?.status === 'draft' ? (await openInvoice(trx, fee)).facts : [];
}

/** Deducts what is still owed of the fee from the settlement. Returns what the seller had already paid. */
export async function takeFee(
  trx: Knex.Transaction,
  settlement: Settlement,
): Promise<{ readonly paidBeforeCents: number; readonly facts: readonly OutboxEvent[] }> {
  const fee = await feeOf(trx, settlement);
  const paidBeforeCents = fee === null ? 0 : keptCents(fee);
  if (fee?.status !== 'open') return { paidBeforeCents, facts: [] };
  const cents = outstandingCents(fee);
  await Payment.query(trx).insert({
    payment_id: `settlement:${settlement.statement_number}`,
    invoice_id: fee.id,
    provider: SETTLEMENT_PROVIDER,
    status: 'applied',
    amount_cents: cents,
    currency: fee.currency,
  });
  const { id: settlementId, auction_id: auctionId, currency } = settlement;
  await post(trx, {
    cause: `fee:${settlementId}`,
    kind: 'allocation',
    currency,
    entries: [{ account: 'owed_to_sellers', amount: cents, settlementId, auctionId }, paidEntry(fee, -cents)],
  });
  return { paidBeforeCents, facts: (await covered(trx, fee)).facts };
}

/** What the seller has paid of a settlement's fee by themselves and not been given back, in cents. */
export async function sellerPaidCents(knex: Knex, settlement: Settlement): Promise<number> {
  if (settlement.fee_invoice_id === null) return 0;
  const shares = await PaymentShare.query(knex).where('invoice_id', settlement.fee_invoice_id);
  return shares.reduce((sum, { cents }) => sum + cents, 0);
}
