/**
 * What staff decide about an invoice: voiding a debt, and giving back all that was paid. The command line and the
 * office call these.
 */
import type { Knex } from 'knex';
import { invalidTransition } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { followChange } from '../invoices/follow-up.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { lostBack } from '../invoices/invoice-postings.ts';
import { keptCents, requireDecidable, requireInvoice, reread, voidInvoice } from '../invoices/invoices.ts';
import { Payment } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import { heldOf, orderOfInvoice } from '../payments/refund-orders.ts';
import { type Refunding, sendAtOnce } from '../payments/send-refunds.ts';
import { afterBack, type MoneyParts, release } from '../payments/take-back.ts';
import { SETTLEMENT_PROVIDER } from '../settlements/platform-fee.ts';

export interface RefundParts extends MoneyParts {
  /** Deposits of auctions that run have rules of their own. */
  readonly refundDeposit: (deposit: Invoice) => Promise<Refunded>;
}

/** An invoice of which staff have sent everything back, or ordered that. */
export interface Refunded {
  readonly invoice: Invoice;
  readonly refund: Refunding;
}

/** Cancels a draft or open invoice. Throws a `Refusal`. */
export function voidByNumber({ knex, followUps }: MoneyParts, number: string): Promise<Invoice> {
  return inTransaction(knex, async (trx) => {
    const invoice = await requireInvoice(trx, number);
    requireDecidable(invoice, 'void');
    await release(trx, followUps, invoice, keptCents(invoice));
    const voided = await voidInvoice(trx, await reread(trx, invoice));
    await followChange(trx, followUps, voided, 'voided');
    return reread(trx, invoice);
  });
}

/**
 * Gives back all that was paid of an invoice, through the provider that took it. Throws a `Refusal`; nothing is booked
 * then, and doing it again sends no money twice.
 */
export async function refundByNumber(parts: RefundParts, number: string): Promise<Refunded> {
  const { knex, refundDeposit } = parts;
  const found = await Invoice.query(knex).findOne({ invoice_number: number });
  if (found?.kind === 'deposit') return refundDeposit(found);
  const refund = await sendAtOnce(parts, () => inTransaction(knex, (trx) => orderAll(parts, trx, number)));
  return { invoice: await inTransaction(knex, (trx) => end(parts, trx, number)), refund };
}

async function orderAll(parts: RefundParts, trx: Knex.Transaction, number: string) {
  const invoice = await requireInvoice(trx, number);
  requireDecidable(invoice, 'refund');
  if (invoice.kind === 'platform_fee') await requirePaidByHand(trx, invoice);
  const { cents, sendable } = await heldOf(trx, invoice);
  // Not in the table: whose the money is, a dispute decides.
  if (sendable < cents)
    throw invalidTransition(
      `number: the payer of ${number} disputes what they paid, and it is not known who keeps it`,
    );
  return { cents, orders: await orderOfInvoice(trx, parts, invoice, cents) };
}

/**
 * One that a deposit covers whole, or of which a dispute has taken what was left, has no money that could be sent. What
 * was lost of it is nobody's loss any more.
 */
async function end({ followUps }: RefundParts, trx: Knex.Transaction, number: string): Promise<Invoice> {
  const invoice = await requireInvoice(trx, number);
  if (invoice.status !== 'paid' || (await heldOf(trx, invoice)).cents > 0) return invoice;
  await post(trx, await lostBack(trx, invoice));
  return afterBack(trx, followUps, invoice, true);
}

/** A fee that was kept back from a pay-out never came as money that could be sent back. */
async function requirePaidByHand(trx: Knex.Transaction, invoice: Invoice): Promise<void> {
  const taken = { invoice_id: invoice.id, provider: SETTLEMENT_PROVIDER };
  if ((await Payment.query(trx).findOne(taken)) === undefined) return;
  // Not in the table: how the fee was paid.
  throw invalidTransition(
    `number: ${invoice.invoice_number} has been removed from its settlement; the change becomes an adjustment in the next one`,
  );
}
