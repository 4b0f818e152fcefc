/**
 * The platform fee's invoice: one for each auction, a draft that follows the settlement's lines under its number until
 * the settlement is approved, then open and final. What later exceeds the lines is given back as an adjustment.
 */

import type { Knex } from 'knex';
import { Auction } from '../../bidding/records/auction.model.ts';
import { createInvoice } from '../invoices/create-invoices.ts';
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
): Promise<void> {
  const { id, team_id, auction_id, currency } = settlement;
  const user_id = await ownerOf(trx, team_id);
  if (user_id === null) return;
  const fee = await createInvoice(trx, {
    ...{ kind: 'platform_fee', user_id, team_id, auction_id, currency, draft: true },
    lines: await feeLines(trx, settlement, lines),
  });
  await Settlement.query(trx).findById(id).patch({ fee_invoice_id: fee.id });
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
export async function openFee(trx: Knex.Transaction, settlement: Settlement): Promise<void> {
  const fee = await feeOf(trx, settlement);
  if (fee?.status === 'draft') await openInvoice(trx, fee);
}

/** Deducts what is still owed of the fee from the settlement. Returns what the seller had already paid. */
export async function takeFee(trx: Knex.Transaction, settlement: Settlement): Promise<number> {
  const fee = await feeOf(trx, settlement);
  const paidBeforeCents = fee === null ? 0 : keptCents(fee);
  if (fee?.status !== 'open') return paidBeforeCents;
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
  await covered(trx, fee);
  return paidBeforeCents;
}

/** What the seller has paid of a settlement's fee by themselves and not been given back, in cents. */
export async function sellerPaidCents(knex: Knex, settlement: Settlement): Promise<number> {
  if (settlement.fee_invoice_id === null) return 0;
  const shares = await PaymentShare.query(knex).where('invoice_id', settlement.fee_invoice_id);
  return shares.reduce((sum, { cents }) => sum + cents, 0);
}
