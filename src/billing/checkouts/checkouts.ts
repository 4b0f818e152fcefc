/** Making a checkout: several open invoices of one person and currency, to be paid at once. */
import type { Knex } from 'knex';
import { payerWho, requireInvoiceAllowed } from '../../shared/policy/invoice-verdicts.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { outstandingCents } from '../invoices/invoices.ts';
import { type LinkParts, pageToPay } from '../invoices/payment-links.ts';
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

/** Its invoices that are open, and what they still ask for, in cents. */
async function owing(knex: Knex, checkoutId: number): Promise<{ open: Invoice[]; cents: number }> {
  const open = (await checkoutInvoices(knex, checkoutId)).filter(({ status }) => status === 'open');
  return { open, cents: open.reduce((sum, invoice) => sum + outstandingCents(invoice), 0) };
}

/** What its open invoices still ask for, in cents. */
export async function owedOf(knex: Knex, checkoutId: number): Promise<number> {
  return (await owing(knex, checkoutId)).cents;
}

/** Where it is paid; null where nothing is owed, without a provider, and while that is unavailable. */
export async function checkoutLink(
  parts: LinkParts,
  { id, currency }: Checkout,
  email: string,
  baseUrl: string,
): Promise<string | null> {
  const { open, cents: amountCents } = await owing(parts.knex, id);
  if (amountCents === 0) return null;
  const payable = {
    key: `CO-${id}`,
    metadata: { checkout_id: String(id) },
    name: open.length === 1 ? '1 invoice' : `${open.length} invoices`,
    page: `/account/checkouts/${id}`,
    currency,
    amountCents,
    description: open.map(({ invoice_number }) => invoice_number).join(', '),
    email,
  };
  return (await pageToPay(parts, payable, baseUrl))?.url ?? null;
}
