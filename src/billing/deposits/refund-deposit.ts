/**
 * Staff give a deposit back while its auction runs: the bidder owes it again before the money goes, and it stays if
 * they lead an open lot on it. After a crash in between, the repeated job admits the bidder again.
 */
import type { Knex } from 'knex';
import { userKey } from '../../../engine/auction/record.ts';
import { SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { changingBidder, isDepositWaived, readBidder } from '../../bidding/registrations/bidder-changes.ts';
import { Refusal } from '../../shared/refusal.ts';
import { freeCents } from '../invoices/credits.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { requireDecidable, requireInvoice, reread } from '../invoices/invoices.ts';
import { orderOfInvoice } from '../payments/refund-orders.ts';
import { type Refunding, sendAtOnce } from '../payments/send-refunds.ts';
import type { MoneyParts } from '../payments/take-back.ts';
import { type DepositParts, readAuction } from './deposits.ts';

export type RefundDepositParts = DepositParts & MoneyParts;

/**
 * Refunds a deposit in full. Throws `invalid_transition`, `deposit_in_use`, `refund_refused`, and what the journal
 * throws.
 */
export async function refundDeposit(
  parts: RefundDepositParts,
  deposit: Invoice,
): Promise<{ invoice: Invoice; refund: Refunding }> {
  const { user_id: userId, invoice_number: number } = deposit;
  const auctionId = auctionOf(deposit);
  requireDecidable(deposit, 'refund');
  const order = async (trx: Knex.Transaction) => {
    // What is refused takes nothing from the bidder.
    await requireFree(trx, number);
    const auction = await readAuction(trx, auctionId);
    if (auction.isRunning) await withdraw(parts, trx, deposit);
    const { invoice, cents } = await requireFree(trx, number);
    await Invoice.query(trx).findById(invoice.id).patch({ deposit_applied_at: null });
    return { cents, orders: await orderOfInvoice(trx, parts, invoice, cents) };
  };
  const refund = await sendAtOnce(parts, () => changingBidder(parts.knex, auctionId, userId, order));
  return { invoice: await reread(parts.knex, deposit), refund };
}

/** The deposit as it is now, and what of it can go back. */
async function requireFree(trx: Knex.Transaction, number: string) {
  const invoice = await requireInvoice(trx, number);
  requireDecidable(invoice, 'refund');
  const cents = await freeCents(trx, invoice);
  if (cents <= 0) throw new Refusal('deposit_in_use', { message: `number: ${number} covers other invoices` });
  return { invoice, cents };
}

async function withdraw(parts: RefundDepositParts, trx: Knex.Transaction, deposit: Invoice): Promise<void> {
  const { journal, knex } = parts;
  const { user_id: userId, id, invoice_number: number } = deposit;
  const auctionId = auctionOf(deposit);
  const auction = await Auction.query(trx).findById(auctionId).select('format');
  // Where bids are sealed, who has one shows nowhere before the end.
  if (auction !== undefined && SEALED_FORMATS.includes(auction.format))
    throw new Refusal('deposit_in_use', { message: `number: ${number} goes back after the end` });
  const before = await readBidder(journal, auctionId, userId);
  const owing =
    before?.status === 'approved' && !(await isDepositWaived(trx, auctionId, userId)) ? before : null;
  if (owing !== null) {
    // Outside of the transaction: should we die here, the repeated job finds a paid deposit that lets nobody in, and
    // lets them in.
    await Invoice.query(knex).findById(id).patch({ deposit_applied_at: null });
    await journal.saveBidder(auctionId, { ...owing, status: 'deposit_due' }, null);
  }
  // From here on no bid of theirs is taken: what they lead now is all that they lead.
  const key = userKey(userId);
  const exposed = (await journal.loadBidders(auctionId, [key])).get(key)?.exposureCents ?? 0;
  if (exposed === 0) return;
  if (owing !== null) await journal.saveBidder(auctionId, owing, null);
  throw new Refusal('deposit_in_use', { message: `number: the bidder leads an open lot on ${number}` });
}

/** Each deposit is for an auction. */
function auctionOf({ auction_id, invoice_number }: Invoice): number {
  if (auction_id === null) throw new Error(`${invoice_number} is a deposit without an auction`);
  return auction_id;
}
