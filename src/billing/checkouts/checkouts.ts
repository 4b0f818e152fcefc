/** Making a checkout: several open invoices of one person and currency, to be paid at once. */
import type { Knex } from 'knex';
import { payerWho, requireInvoiceAllowed } from '../../shared/policy/invoice-verdicts.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { outstandingCents } from '../invoices/invoices.ts';
import type { LinkParts } from '../invoices/payment-links.ts';
import { Checkout, CheckoutInvoice, checkoutInvoices } from './checkout.model.ts';

export const MAX_INVOICES = 100;

/**
 * Makes a checkout of a person's invoices, paid in this order. Throws `not_found`, `others_invoice`,
 * `invalid_transition` for one that is not open, and 422 for invoices of several currencies.
 */
export function createCheckout(knex: Knex, userId: number, numbers: readonly string[]): Promise<Checkout> {
  return inTransaction(knex, async (trx) => {
    const rows = await Invoice.query(trx).whereIn('invoice_number', [...numbers]);
    const invoices = numbers.map((number) => payable(rows, number, userId));
    const [first] = invoices;
    if (first === undefined) throw invalid({ invoice_numbers: ['Name at least one invoice.'] });
    if (invoices.some(({ currency }) => currency !== first.currency))
      throw invalid({ invoice_numbers: ['All invoices must be in one currency.'] });
    const made = await Checkout.query(trx)
      .insert({
        user_id: userId,
        currency: first.currency,
        amount_cents: invoices.reduce((sum, invoice) => sum + outstandingCents(invoice), 0),
      })
      .returning('*');
    for (const [position, { id }] of invoices.entries())
      await CheckoutInvoice.query(trx).insert({ checkout_id: made.id, position, invoice_id: id });
    return made;
  });
}

function payable(rows: readonly Invoice[], number: string, userId: number): Invoice {
  const found = rows.find(({ invoice_number }) => invoice_number === number);
  if (found === undefined) throw notFound(`There is no invoice ${number}.`);
  requireInvoiceAllowed(found, 'pay', payerWho(found, userId), {
    message: `Invoice ${number} is ${found.status}, not open.`,
    data: { allowed: [] },
  });
  return found;
}

/** What its open invoices still ask for, in cents. */
export async function owedOf(knex: Knex, checkoutId: number): Promise<number> {
  const open = (await checkoutInvoices(knex, checkoutId)).filter(({ status }) => status === 'open');
  return open.reduce((sum, invoice) => sum + outstandingCents(invoice), 0);
}

/** Where it is paid; null where nothing is owed, without a provider, and while that is unavailable. */
export async function checkoutLink(
  { knex, provider, log }: LinkParts,
  checkout: Checkout,
  email: string,
  baseUrl: string,
): Promise<string | null> {
  if (provider === null) return null;
  const invoices = (await checkoutInvoices(knex, checkout.id)).filter(({ status }) => status === 'open');
  const amountCents = invoices.reduce((sum, invoice) => sum + outstandingCents(invoice), 0);
  if (amountCents === 0) return null;
  try {
    const { url } = await provider.checkout(
      {
        key: `CO-${checkout.id}`,
        metadata: { checkout_id: String(checkout.id) },
        name: invoices.length === 1 ? '1 invoice' : `${invoices.length} invoices`,
        page: `/account/checkouts/${checkout.id}`,
        currency: checkout.currency,
        amountCents,
        description: invoices.map(({ invoice_number }) => invoice_number).join(', '),
        email,
      },
      baseUrl,
    );
    return url;
  } catch (err) {
    log.warn({ err, checkout: checkout.id }, 'no payment link for a checkout');
    return null;
  }
}
