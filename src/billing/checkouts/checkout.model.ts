/** One payment for several invoices of a person, in one currency, in the order in which it pays them. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { belongsTo, hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { Invoice } from '../invoices/invoice.model.ts';

const CheckoutColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Whose invoices they are.' }),
  currency: Type.String(),
  amount_cents: Type.Integer({ description: 'What was owed when it was made.' }),
  created_at: Type.String(),
});

export class Checkout extends shapedBy('checkouts', CheckoutColumns) {
  declare invoices?: CheckoutInvoice[];

  static override relationMappings = () => ({
    invoices: hasMany(CheckoutInvoice, 'checkout_invoices.checkout_id', Checkout),
  });
}

const CheckoutInvoiceColumns = Type.Object({
  checkout_id: Type.Integer(),
  position: Type.Integer(),
  invoice_id: Type.Integer(),
});

export class CheckoutInvoice extends shapedBy('checkout_invoices', CheckoutInvoiceColumns, [
  'checkout_id',
  'position',
]) {
  declare invoice?: Invoice;

  static override relationMappings = () => ({ invoice: belongsTo(Invoice, 'checkout_invoices.invoice_id') });
}

/** The invoices of a checkout as they are now, in its order; none where there is no such checkout. */
export async function checkoutInvoices(knex: Knex, checkoutId: number): Promise<Invoice[]> {
  const named = await CheckoutInvoice.query(knex)
    .where('checkout_id', checkoutId)
    .orderBy('position')
    .withGraphFetched('invoice');
  return named.flatMap(({ invoice }) => invoice ?? []);
}
