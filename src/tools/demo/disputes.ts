/** Two buyers of the demo's ended sale pay by card and dispute it, so that the staff's queue has what staff answer. */
import type { Knex } from 'knex';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { outstandingCents } from '../../billing/invoices/invoices.ts';
import { applyEvent } from '../../billing/payments/apply-event.ts';
import type { PaymentParts } from '../../billing/payments/event-outcome.ts';
import { readPaymentEvent } from '../../billing/payments/payment-event.ts';
import { applySubscriptionEvent } from '../../billing/subscriptions/provider-events.ts';

const DISPUTES = 2;

export type DisputeParts = Pick<PaymentParts, 'knex' | 'followUps' | 'disputesBorneBy'> & {
  readonly provider: { readonly name: string } | null;
};

/** The invoices that are disputed; null while the sale's are not made yet. */
export async function invoicesToDispute(
  knex: Knex,
  slug: string,
  buyerId: number,
): Promise<Invoice[] | null> {
  const found = await Invoice.query(knex)
    .join('auctions as a', 'a.id', 'invoices.auction_id')
    .where({ 'a.slug': slug, 'invoices.kind': 'winner' })
    .whereNot('invoices.user_id', buyerId)
    .select('invoices.*')
    .orderBy('invoices.id')
    .limit(DISPUTES);
  return found.length < DISPUTES ? null : found;
}

/** As the provider's signed events say it. */
export async function disputeInvoices(parts: DisputeParts, invoices: readonly Invoice[]): Promise<void> {
  const { provider, ...money } = parts;
  const applying: PaymentParts = {
    ...money,
    provider: provider?.name ?? 'external',
    amountFrom: (amount) => amount,
    applySubscription: applySubscriptionEvent,
  };
  for (const invoice of invoices) {
    if (invoice.status !== 'open') continue;
    const { invoice_number: number, currency } = invoice;
    const amount = outstandingCents(invoice);
    const payment = `demo-card-${number}`;
    await apply(applying, `demo-paid-${number}`, 'payment_intent.succeeded', {
      ...{ id: payment, amount, currency },
      metadata: { invoice_number: number },
    });
    await apply(applying, `demo-disputed-${number}`, 'charge.dispute.created', {
      ...{ id: `demo-dispute-${number}`, payment_intent: payment, amount, currency },
    });
  }
}

async function apply(parts: PaymentParts, id: string, type: string, object: object): Promise<void> {
  const created = Math.floor(Date.now() / 1_000);
  await applyEvent(parts, readPaymentEvent({ id, type, created, data: { object } }));
}
