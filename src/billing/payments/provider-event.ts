/**
 * What every event of the provider begins with: its payment, found by any name that the provider has for it, held, and
 * the money of those whom it is about. An event whose payment is not known waits for it.
 */
import type { Knex } from 'knex';
import { notFound } from '../../shared/refusal.ts';
import { checkoutInvoices } from '../checkouts/checkout.model.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { invoicesOfPayment, Payment, PaymentEventRow } from '../invoices/payment.model.ts';
import { holdMoney, holdPayment } from '../ledger/money-lock.ts';

/** The provider's names of one payment: its own, and its charge's. */
export interface PaymentNames {
  readonly paymentId: string | null;
  readonly chargeId: string | null;
}

/** What a payment says that it is for: one invoice, or the several of a checkout. */
export interface MeantFor {
  readonly invoiceNumber: string | null;
  readonly checkoutId?: number | null;
}

export interface Held {
  readonly payment: Payment | undefined;
  /** The invoices that the event names, in the order in which they are paid. */
  readonly invoices: readonly Invoice[];
}

/** Finds and holds them, in the order that everybody does. */
export async function holdEvent(
  trx: Knex.Transaction,
  names: PaymentNames,
  meantFor: MeantFor | null,
): Promise<Held> {
  await holdPayment(trx, names.paymentId, names.chargeId);
  const named = await namedInvoices(trx, meantFor);
  const found = await findPayment(trx, names);
  // Nobody puts it on another invoice while it is held.
  const touched = found === undefined ? [] : await invoicesOfPayment(trx, found);
  await holdMoney(trx, ...[...named, ...touched].map(({ team_id }) => team_id));
  return { payment: await findPayment(trx, names), invoices: await namedInvoices(trx, meantFor) };
}

/**
 * Holds a payment that staff name, by our id or the provider's; ours first, where the provider's is a number too.
 * Throws `not_found`.
 */
export async function holdNamed(
  trx: Knex.Transaction,
  id: string,
  meantFor: MeantFor | null,
): Promise<Held & { readonly payment: Payment }> {
  const ours = /^[1-9][0-9]{0,14}$/.test(id) ? await Payment.query(trx).findById(Number(id)) : undefined;
  const found = ours ?? (await Payment.query(trx).findOne('payment_id', id));
  if (found === undefined) throw notFound(`id: there is no payment ${id}`);
  const names = { paymentId: found.payment_id, chargeId: found.charge_id };
  const { payment = found, invoices } = await holdEvent(trx, names, meantFor);
  return { payment, invoices };
}

/** Holds these payments, by our ids, and the money of those whom they are about. */
export async function holdPayments(trx: Knex.Transaction, ids: readonly number[]): Promise<void> {
  const payments = await Payment.query(trx).whereIn('id', [...ids]);
  await holdPayment(trx, ...payments.flatMap(({ payment_id, charge_id }) => [payment_id, charge_id]));
  const touched: Invoice[] = [];
  for (const payment of payments) touched.push(...(await invoicesOfPayment(trx, payment)));
  await holdMoney(trx, ...touched.map(({ team_id }) => team_id));
}

async function namedInvoices(trx: Knex, meantFor: MeantFor | null): Promise<Invoice[]> {
  const { invoiceNumber = null, checkoutId = null } = meantFor ?? {};
  if (checkoutId !== null) return checkoutInvoices(trx, checkoutId);
  return invoiceNumber === null ? [] : Invoice.query(trx).where('invoice_number', invoiceNumber);
}

async function findPayment(trx: Knex, { paymentId, chargeId }: PaymentNames): Promise<Payment | undefined> {
  const ids = [paymentId, chargeId].filter((id) => id !== null);
  return Payment.query(trx)
    .where((own) => own.whereIn('payment_id', ids).orWhereIn('charge_id', ids))
    .withGraphFetched('invoice')
    .first();
}

/** Notes the provider's other name of a payment. Returns whether it is news: then events may wait under it. */
export async function learnName(
  trx: Knex,
  { id, payment_id, charge_id }: Payment,
  chargeId: string | null,
): Promise<boolean> {
  if (charge_id !== null || chargeId === null || chargeId === payment_id) return false;
  await Payment.query(trx).findById(id).patch({ charge_id: chargeId });
  return true;
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
