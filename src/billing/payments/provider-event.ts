/**
 * What every event of the provider begins with: its payment, found by any name that the provider has for it, held, and
 * the money of those whom it is about. An event whose payment is not known waits for it.
 */
import type { Knex } from 'knex';
import { Invoice } from '../invoices/invoice.model.ts';
import { Payment, PaymentEventRow } from '../invoices/payment.model.ts';
import { holdMoney, holdPayment } from '../ledger/money-lock.ts';

/** The provider's names of one payment: its own, and its charge's. */
export interface PaymentNames {
  readonly paymentId: string | null;
  readonly chargeId: string | null;
}

export interface Held {
  readonly payment: Payment | undefined;
  /** The invoice that the event names, where there is one. */
  readonly invoice: Invoice | undefined;
}

/** Finds and holds them, in the order that everybody does. */
export async function holdEvent(
  trx: Knex.Transaction,
  names: PaymentNames,
  invoiceNumber: string | null,
): Promise<Held> {
  await holdPayment(trx, names.paymentId, names.chargeId);
  const named =
    invoiceNumber === null ? undefined : await Invoice.query(trx).findOne('invoice_number', invoiceNumber);
  const found = await findPayment(trx, names);
  await holdMoney(trx, named?.team_id ?? null, found?.invoice?.team_id ?? null);
  return {
    payment: await findPayment(trx, names),
    invoice: named && (await Invoice.query(trx).findById(named.id)),
  };
}

async function findPayment(trx: Knex, { paymentId, chargeId }: PaymentNames): Promise<Payment | undefined> {
  const ids = [paymentId, chargeId].filter((id) => id !== null);
  return Payment.query(trx)
    .where((own) => own.whereIn('payment_id', ids).orWhereIn('charge_id', ids))
    .withGraphFetched('invoice')
    .first();
}

/** Keeps an event until its payment comes. */
export async function wait(trx: Knex, eventId: string, { paymentId, chargeId }: PaymentNames): Promise<void> {
  const names = [paymentId, chargeId].filter((id) => id !== null);
  await PaymentEventRow.query(trx).findById(eventId).patch({ waits_for: names });
}

/** The events that wait for this payment, oldest first. */
export async function waitingEvents(trx: Knex, payment: Payment): Promise<PaymentEventRow[]> {
  const names = [payment.payment_id, payment.charge_id].filter((id) => id !== null);
  return PaymentEventRow.query(trx)
    .where('status', 'pending')
    .whereRaw('waits_for && ?::text[]', [names])
    .orderBy(['received_at', 'event_id']);
}
