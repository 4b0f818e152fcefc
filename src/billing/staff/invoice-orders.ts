/**
 * What staff decide about an invoice: voiding a debt, and giving back all that was paid. The command line and the
 * office call these.
 */
import type { Knex } from 'knex';
import { appendEvents } from '../../events/outbox.ts';
import { Refusal } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { keptCents, requireInvoice, voidInvoice } from '../invoices/invoices.ts';
import { lockPaymentsOf, refundInvoice } from '../payments/refund-money.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import { requireMove } from '../require-move.ts';
import { SETTLEMENT_PROVIDER } from '../settlements/platform-fee.ts';

export interface StaffParts {
  readonly knex: Knex;
  /** Who sends money back; null: nobody that we know of, and what is refunded is booked as sent by hand. */
  readonly provider: PaymentProvider | null;
  readonly followUps: readonly InvoiceFollowUp[];
}

export interface RefundParts extends StaffParts {
  /** Deposits of auctions that run have rules of their own. */
  readonly refundDeposit: (deposit: Invoice) => Promise<Invoice>;
}

/** Cancels a draft or open invoice. Throws a `Refusal`. */
export function voidByNumber({ knex, followUps }: StaffParts, number: string): Promise<Invoice> {
  return inTransaction(knex, async (trx) => {
    const invoice = await requireInvoice(trx, number);
    const voided = await voidInvoice(trx, invoice);
    const followed = await followChange(trx, followUps, voided.invoice, 'voided');
    await appendEvents(trx, [...voided.facts, ...followed]);
    return reread(trx, invoice);
  });
}

/**
 * Gives back all that was paid of an invoice, through the provider that took it. Throws a `Refusal`, and what
 * the provider throws; nothing is booked then, and doing it again sends no money twice.
 */
export async function refundByNumber(parts: RefundParts, number: string): Promise<Invoice> {
  const { knex, provider, followUps, refundDeposit } = parts;
  const found = await Invoice.query(knex).findOne({ invoice_number: number });
  if (found?.kind === 'deposit') return refundDeposit(found);
  return inTransaction(knex, async (trx) => {
    const invoice = await requireInvoice(trx, number);
    requireMove('invoice', invoice.status, 'refunded', `number: ${number}`);
    if (invoice.kind === 'platform_fee') await requirePaidByHand(trx, invoice);
    const refunded = await refundInvoice(trx, provider, invoice, keptCents(invoice));
    const followed = await followChange(trx, followUps, refunded.invoice, 'refunded');
    await appendEvents(trx, [...refunded.facts, ...followed]);
    return reread(trx, invoice);
  });
}

/** A fee that was kept back from a pay-out never came as money that could be sent back. */
async function requirePaidByHand(trx: Knex.Transaction, invoice: Invoice): Promise<void> {
  const payments = await lockPaymentsOf(trx, invoice.id);
  if (payments.every((payment) => payment.provider !== SETTLEMENT_PROVIDER)) return;
  throw new Refusal('invalid_transition', {
    message: `number: ${invoice.invoice_number} has been removed from its settlement; the change becomes an adjustment in the next one`,
    data: { allowed: [] },
  });
}

async function reread(trx: Knex.Transaction, { id }: Invoice): Promise<Invoice> {
  return Invoice.query(trx).findById(id).throwIfNotFound();
}
