/**
 * `/sandbox/pay/{number}`: the checkout of the sandbox provider. Anybody who knows an invoice's number may pay it
 * with play money, or decline; the page changes nothing itself, it sends the provider's event to the webhook like
 * everybody else.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { outstandingCents } from '../../billing/invoices/invoices.ts';
import { sendSandboxEvent } from '../../billing/providers/sandbox-provider.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';

export interface SandboxParts {
  readonly knex: Knex;
  readonly secret: string;
  readonly pages: Pages;
}

const Params = Type.Object({ number: Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,9}$' }) });

const head = { ...PAGE, path: '/sandbox/pay/{number}', params: Params } as const;

export function sandboxPages(parts: SandboxParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'GET',
      operationId: 'sandboxPayPage',
      summary: 'Pays an invoice with play money',
      handle: async (request) => page(parts, request, await find(parts, request.params.number), null),
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
        const invoice = await find(parts, request.params.number);
        const { status, code } = await sendSandboxEvent(request.ownUrl, parts.secret, {
          invoiceNumber: invoice.invoice_number,
          amountCents: Math.max(1, outstandingCents(invoice)),
          currency: invoice.currency,
          outcome: request.body.outcome,
        });
        const said = code === undefined ? status : `${status} (${code})`;
        return page(parts, request, await find(parts, request.params.number), said);
      },
    }),
  ];
}

async function find({ knex }: SandboxParts, number: string): Promise<Invoice> {
  const invoice = await Invoice.query(knex).findOne({ invoice_number: number });
  if (invoice === undefined) throw notFound('There is no such invoice.');
  return invoice;
}

function page({ pages }: SandboxParts, request: HttpRequest, invoice: Invoice, said: string | null): Reply {
  const { invoice_number: number, status, currency } = invoice;
  return pages.html(request, {
    title: `Pay ${number} (sandbox)`,
    template: 'account/sandbox',
    data: { invoice: { number, status, currency, owedCents: outstandingCents(invoice) }, said },
    secret: true,
  });
}
