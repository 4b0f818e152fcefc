/**
 * Payments that no invoice took: listing them, allocating one to an open invoice, sending one back. Each ends once, for
 * any caller and however often. The command line and the office call these.
 */
import type { Knex } from 'knex';
import { appendEvents } from '../../events/outbox.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { requireInvoice } from '../invoices/invoices.ts';
import { Payment } from '../invoices/payment.model.ts';
import { takeMoney } from '../payments/apply-payment.ts';
import { refundPayment } from '../payments/refund-money.ts';
import type { StaffParts } from './invoice-orders.ts';

export interface PaymentFilter {
  readonly status?: Payment['status'];
  readonly page: number;
  readonly perPage: number;
  /** Default: newest first. */
  readonly order?: readonly { readonly column: string; readonly order: 'asc' | 'desc' }[];
}

/** Payments with the invoices that they were meant for, and how many there are. */
export async function listPayments(
  knex: Knex,
  { status, page, perPage, order = [{ column: 'id', order: 'desc' }] }: PaymentFilter,
): Promise<{ rows: Payment[]; total: number }> {
  const query = Payment.query(knex)
    .withGraphFetched('invoice')
    .orderBy([...order]);
  if (status !== undefined) query.where('status', status);
  const { results, total } = await query.page(page - 1, perPage);
  return { rows: results, total };
}

/** How a payment is shown to staff. Amounts are numbers in whole units of the currency. */
export function presentPayment(payment: Payment) {
  const { id, payment_id, provider, status, currency, created_at, invoice } = payment;
  return {
    id,
    payment_id,
    provider,
    status,
    amount: payment.amount_cents / 100,
    amount_refunded: payment.refunded_cents / 100,
    currency,
    invoice_number: invoice?.invoice_number ?? null,
    created_at,
  };
}

export interface Allocated {
  readonly payment: Payment;
  readonly invoice: Invoice;
}

/**
 * Puts an unallocated payment, by our id or the provider's, on an open invoice of its currency. Throws `not_found`,
 * `invalid_transition` if it is not unallocated, or no longer, or the invoice is not open, and `currency_mismatch`.
 */
export function allocatePayment(
  { knex, followUps }: Pick<StaffParts, 'knex' | 'followUps'>,
  paymentId: string,
  invoiceNumber: string,
): Promise<Allocated> {
  return inTransaction(knex, async (trx) => {
    const invoice = await requireInvoice(trx, invoiceNumber);
    const payment = await lockUnallocated(trx, paymentId);
    if (invoice.status !== 'open') {
      throw new Refusal('invalid_transition', {
        message: `invoice: ${invoiceNumber} is ${invoice.status}, not open`,
        data: {
          allowed: [],
        },
      });
    }
    if (payment.currency !== invoice.currency) {
      throw new Refusal('currency_mismatch', {
        message: `invoice: ${invoiceNumber} is in ${invoice.currency}, the payment in ${payment.currency}`,
      });
    }
    const cents = payment.amount_cents - payment.refunded_cents;
    // What went back before is no part of what the invoice gets.
    await Payment.query(trx)
      .findById(payment.id)
      .patch({ status: 'applied', invoice_id: invoice.id, amount_cents: cents, refunded_cents: 0 });
    const taken = await takeMoney({ followUps }, trx, invoice, cents);
    await appendEvents(trx, taken.facts);
    return { payment: await reread(trx, payment), invoice: taken.invoice };
  });
}

/**
 * Sends an unallocated payment back through its provider. Throws `not_found`, `invalid_transition`, and what the
 * provider throws.
 */
export function refundUnallocated(
  { knex, provider }: Pick<StaffParts, 'knex' | 'provider'>,
  paymentId: string,
): Promise<Payment> {
  return inTransaction(knex, async (trx) => {
    const payment = await lockUnallocated(trx, paymentId);
    await refundPayment(trx, provider, payment);
    return reread(trx, payment);
  });
}

async function lockUnallocated(trx: Knex.Transaction, paymentId: string): Promise<Payment> {
  const ours = /^[1-9][0-9]{0,14}$/.test(paymentId) ? { id: Number(paymentId) } : { payment_id: paymentId };
  const payment = await Payment.query(trx).where(ours).forUpdate().first();
  if (payment === undefined) throw notFound(`id: there is no payment ${paymentId}`);
  if (payment.status !== 'unallocated') {
    throw new Refusal('invalid_transition', {
      message: `id: payment ${paymentId} is ${payment.status}`,
      data: {
        allowed: [],
      },
    });
  }
  return payment;
}

async function reread(trx: Knex.Transaction, { id }: Payment): Promise<Payment> {
  return Payment.query(trx).findById(id).withGraphFetched('invoice').throwIfNotFound();
}
