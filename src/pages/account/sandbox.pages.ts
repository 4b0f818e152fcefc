/**
 * `/sandbox/pay/{key}`: the checkout of the sandbox provider. Anybody who knows the key (an invoice's number, or a
 * checkout's id) may pay with play money, or decline; the page changes nothing itself, it sends the provider's event
 * to the webhook like everybody else.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { Checkout } from '../../billing/checkouts/checkout.model.ts';
import { owedOf } from '../../billing/checkouts/checkouts.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { outstandingCents } from '../../billing/invoices/invoices.ts';
import { type SandboxPayment, sendSandboxEvent } from '../../billing/providers/sandbox-provider.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';

export interface SandboxParts {
  readonly knex: Knex;
  readonly secret: string;
  readonly pages: Pages;
}

const Params = Type.Object({
  key: Type.String({ pattern: '^(INV-[0-9]{4}-[0-9]{5,9}|CO-[1-9][0-9]{0,14})$' }),
});

const head = { ...PAGE, path: '/sandbox/pay/{key}', params: Params } as const;

export function sandboxPages(parts: SandboxParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'GET',
      operationId: 'sandboxPayPage',
      summary: 'Pays an invoice, or a checkout of several, with play money',
      handle: async (request) => page(parts, request, await find(parts, request.params.key), null),
    }),
    endpoint({
      ...head,
      method: 'POST',
      operationId: 'sandboxPay',
      summary: 'Sends the provider’s event',
      body: {
        form: Type.Object({ outcome: Type.Union([Type.Literal('paid'), Type.Literal('declined')]) }),
      },
      async handle(request) {
        const payable = await find(parts, request.params.key);
        const { status, code } = await sendSandboxEvent(request.ownUrl, parts.secret, {
          metadata: payable.metadata,
          amountCents: Math.max(1, payable.owedCents),
          currency: payable.currency,
          outcome: request.body.outcome,
        });
        const outcome = code === undefined ? status : `${status} (${code})`;
        return page(parts, request, await find(parts, request.params.key), outcome);
      },
    }),
  ];
}

interface SandboxPayable {
  /** What people call it, and where it is shown. */
  readonly name: string;
  readonly back: string;
  readonly metadata: SandboxPayment['metadata'];
  readonly status: string;
  readonly currency: string;
  readonly owedCents: number;
}

async function find({ knex }: SandboxParts, key: string): Promise<SandboxPayable> {
  if (key.startsWith('CO-')) return findCheckout(knex, Number(key.slice('CO-'.length)));
  const invoice = await Invoice.query(knex).findOne({ invoice_number: key });
  if (invoice === undefined) throw notFound('There is no such invoice.');
  return {
    name: `invoice ${key}`,
    back: `/account/invoices/${key}`,
    metadata: { invoice_number: key },
    status: invoice.status,
    currency: invoice.currency,
    owedCents: outstandingCents(invoice),
  };
}

async function findCheckout(knex: Knex, id: number): Promise<SandboxPayable> {
  const checkout = await Checkout.query(knex).findById(id);
  if (checkout === undefined) throw notFound('There is no such checkout.');
  const owedCents = await owedOf(knex, id);
  return {
    name: 'several invoices',
    back: `/account/checkouts/${id}`,
    metadata: { checkout_id: String(id) },
    status: owedCents === 0 ? 'paid' : 'open',
    currency: checkout.currency,
    owedCents,
  };
}

function page(
  { pages }: SandboxParts,
  request: HttpRequest,
  payable: SandboxPayable,
  outcome: string | null,
): Reply {
  return pages.html(request, {
    title: `Pay ${payable.name} (sandbox)`,
    template: 'account/sandbox',
    data: { payable, outcome },
    secret: true,
  });
}
