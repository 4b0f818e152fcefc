/**
 * A bank transfer that came, as staff read it on the account's statement: matched by its reference, and booked as the
 * provider's payments are. One without a known reference is kept unallocated.
 */
import type { Knex } from 'knex';
import { decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { invalid } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { Payment } from '../invoices/payment.model.ts';
import { readReference } from '../invoices/references.ts';
import { applyPayment } from '../payments/apply-payment.ts';
import type { PaymentParts } from '../payments/event-outcome.ts';
import type { MeantFor } from '../payments/provider-event.ts';
import { TRANSFER_PROVIDER } from '../payments/sent-refunds.ts';

export interface Transfer {
  readonly reference: string;
  /** In whole units of the currency: `123.45`. */
  readonly amount: string;
  readonly currency: string;
  /** The bank's own name of it: each counts once. */
  readonly id: string;
}

/**
 * Books a transfer; the same one again changes nothing. `invoices`: those that it is on, as they are then. Throws
 * `validation_failed` for an amount or a name that cannot be, and for the name of another payment.
 */
export async function recordTransfer(
  parts: Pick<PaymentParts, 'knex' | 'followUps' | 'disputesBorneBy'>,
  transfer: Transfer,
) {
  const currency = transfer.currency.toLowerCase();
  const wrong = (field: string, message: string) => invalid({ [field]: [message] });
  if (!/^[a-z]{3}$/.test(currency)) throw wrong('currency', 'The currency has three letters, such as usd.');
  const amountCents = parseCents(transfer.amount, decimalsOf(currency));
  if (amountCents === null || amountCents <= 0)
    throw wrong('amount', 'The amount is above zero and has the decimals of its currency, such as 123.45.');
  if (transfer.id.length === 0 || transfer.id.length > 255)
    throw wrong('id', 'The id has 1 to 255 characters.');
  return inTransaction(parts.knex, async (trx) => {
    const meantFor = await meantBy(trx, transfer.reference);
    const event = {
      kind: 'paid' as const,
      type: TRANSFER_PROVIDER,
      eventId: `transfer:${transfer.id}`,
      createdS: 0,
      body: {},
      paymentId: transfer.id,
      chargeId: null,
      amountCents,
      currency,
      ...meantFor,
    };
    const amountFrom = (amount: number) => amount;
    const outcome = await applyPayment({ ...parts, provider: TRANSFER_PROVIDER, amountFrom }, trx, event);
    const payment = await Payment.query(trx).findOne('payment_id', transfer.id);
    const isThis =
      payment?.provider === TRANSFER_PROVIDER &&
      payment.amount_cents === amountCents &&
      payment.currency === currency;
    if (!isThis) throw wrong('id', otherPayment(transfer.id, payment));
    return { payment, invoices: outcome.invoices ?? [], outcome: outcome.status };
  });
}

/** The bank has given the name once: this is another transfer, or one that was mistyped. */
function otherPayment(id: string, booked: Payment | undefined): string {
  if (booked === undefined) return `${id} is the name of a provider’s charge.`;
  const amount = `${formatCents(booked.amount_cents, decimalsOf(booked.currency))} ${booked.currency}`;
  return `${id} was booked before, as ${amount} by ${booked.provider}.`;
}

/** Payers write an invoice's number, too. */
async function meantBy(trx: Knex, reference: string): Promise<Required<MeantFor>> {
  const known = readReference(reference);
  if (known === null) {
    const number = reference.trim().toUpperCase();
    return { invoiceNumber: number.startsWith('INV-') ? number : null, checkoutId: null };
  }
  if (known.kind === 'checkout') return { invoiceNumber: null, checkoutId: known.id };
  const invoice = await Invoice.query(trx).findById(known.id);
  return { invoiceNumber: invoice?.invoice_number ?? null, checkoutId: null };
}
