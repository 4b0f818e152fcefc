/** Several invoices that are paid at once: made from the list of invoices, with where and how to pay them. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { Checkout, checkoutInvoices } from '../../billing/checkouts/checkout.model.ts';
import { checkoutLink, createCheckout, MAX_INVOICES, owedOf } from '../../billing/checkouts/checkouts.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { outstandingCents } from '../../billing/invoices/invoices.ts';
import type { LinkParts } from '../../billing/invoices/payment-links.ts';
import { referenceOf } from '../../billing/invoices/references.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

export interface CheckoutPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly links: LinkParts;
}

export function checkoutPages(parts: CheckoutPageParts): Endpoint[] {
  return [payAll(parts), checkout(parts), payCheckout(parts)];
}

interface TogetherPaid {
  readonly currency: string;
  readonly count: number;
  readonly cents: number;
}

/** What can be paid at once: the open invoices of each currency in which there are several. */
export async function readPayable(knex: Knex, userId: number): Promise<TogetherPaid[]> {
  const open = await openInvoices(knex, userId);
  const currencies = [...new Set(open.map(({ currency }) => currency))];
  return currencies.flatMap((currency) => {
    const these = open.filter((invoice) => invoice.currency === currency).slice(0, MAX_INVOICES);
    const cents = these.reduce((sum, invoice) => sum + outstandingCents(invoice), 0);
    return these.length > 1 ? [{ currency, count: these.length, cents }] : [];
  });
}

/** The one that is due first is paid first. */
async function openInvoices(knex: Knex, userId: number): Promise<Invoice[]> {
  return Invoice.query(knex).where({ user_id: userId, status: 'open' }).orderBy(['due_at', 'id']);
}

function payAll({ knex, pages }: CheckoutPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/account/checkouts',
    operationId: 'payAllOnPage',
    summary: 'Makes one payment of all open invoices of a currency',
    body: { form: Type.Object({ currency: Type.String({ pattern: '^[a-z]{3}$' }) }) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const open = await openInvoices(knex, who.userId);
        const numbers = open
          .filter(({ currency }) => currency === request.body.currency)
          .map(({ invoice_number }) => invoice_number)
          .slice(0, MAX_INVOICES);
        if (numbers.length === 0) return pages.go('/account/invoices');
        const made = await createCheckout(knex, who.userId, numbers);
        // A form's answer may not lead to another site; the page that it leads to has a link.
        return pages.go(`/account/checkouts/${made.id}`);
      }),
  });
}

const CheckoutParams = Type.Object({ id: Type.Integer({ minimum: 1 }) });

function checkout({ knex, pages, links }: CheckoutPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/checkouts/{id}',
    operationId: 'checkoutPage',
    summary: 'Several invoices to be paid at once, with what to write on a bank transfer',
    params: CheckoutParams,
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const { id, currency } = await requireOwnCheckout(knex, request.params.id, who);
        const invoices = await checkoutInvoices(knex, id);
        const data = {
          id,
          currency,
          invoices: invoices.map((row) => ({ ...row, owedCents: outstandingCents(row) })),
          owedCents: await owedOf(knex, id),
          reference: referenceOf({ kind: 'checkout', id }),
          isOnline: links.provider !== null,
        };
        return pages.html(request, { title: 'Pay invoices', template: 'account/checkout', data });
      }),
  });
}

/** Leads to the provider's page, and back to ours while there is none. */
function payCheckout({ knex, pages, links }: CheckoutPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/checkouts/{id}/pay',
    operationId: 'payCheckoutPage',
    summary: 'Leads to where several invoices are paid',
    params: CheckoutParams,
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const own = await requireOwnCheckout(knex, request.params.id, who);
        const link = await checkoutLink(links, own, who.email, request.baseUrl);
        return pages.go(link ?? `/account/checkouts/${own.id}`);
      }),
  });
}

async function requireOwnCheckout(knex: Knex, id: number, who: SignedIn): Promise<Checkout> {
  const found = await Checkout.query(knex).findById(id);
  if (found === undefined || found.user_id !== who.userId) throw notFound('There is no such checkout.');
  return found;
}
