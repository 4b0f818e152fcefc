/**
 * `/sandbox/pay/{number}`: the checkout of the sandbox provider. Anybody who knows an invoice's number may pay it
 * with play money, or decline; the page changes nothing itself, it sends the provider's event to the webhook like
 * everybody else.
 */
import { Type } from '@sinclair/typebox';
import { Eta } from 'eta';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import type { BrowserSessions } from '../../accounts/sessions/browser-sessions.ts';
import { notFound } from '../../shared/refusal.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { outstandingCents } from '../invoices/invoices.ts';
import { sendSandboxEvent } from '../providers/sandbox-provider.ts';

export interface SandboxParts {
  readonly knex: Knex;
  readonly secret: string;
  readonly sessions: Pick<BrowserSessions, 'visit'>;
  /** The address of the page's style sheet. */
  readonly stylesheet: string;
}

const Params = Type.Object({ number: Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,9}$' }) });

const head = {
  path: '/sandbox/pay/{number}',
  tags: ['Pages'],
  access: { kind: 'public', session: true },
  page: true,
  undocumented: true,
  params: Params,
  responses: { 200: { description: 'The page.', contentType: 'text/html' } },
} as const;

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

function page(parts: SandboxParts, request: HttpRequest, invoice: Invoice, said: string | null): Reply {
  const { session: known } = request;
  const { session, cookies } =
    known === null ? parts.sessions.visit(request.secure) : { session: known, cookies: [] };
  const html = eta.renderString(TEMPLATE, {
    number: invoice.invoice_number,
    status: invoice.status,
    currency: invoice.currency.toUpperCase(),
    owed: formatCents(outstandingCents(invoice), decimalsOf(invoice.currency)),
    csrfToken: session.csrfToken,
    stylesheet: parts.stylesheet,
    said,
  });
  const headers: Record<string, string | readonly string[]> = { 'Cache-Control': 'no-store', Vary: 'Cookie' };
  if (cookies.length > 0) headers['Set-Cookie'] = cookies;
  return {
    status: 200,
    raw: html,
    contentType: 'text/html; charset=utf-8',
    headers,
  };
}

const eta = new Eta({ autoEscape: true });

const TEMPLATE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pay <%= it.number %> (sandbox)</title>
<link rel="stylesheet" href="<%= it.stylesheet %>"></head>
<body>
<h1>Sandbox payment</h1>
<p>No money moves here. The buttons send the event that a payment provider would send.</p>
<p>Invoice <strong><%= it.number %></strong> is <strong data-status><%= it.status %></strong>.
Still owed: <strong><%= it.owed %> <%= it.currency %></strong>.</p>
<% if (it.said !== null) { %><p role="status">The event was <strong data-outcome><%= it.said %></strong>.</p><% } %>
<% if (it.status === 'open') { %>
<form method="post">
<input type="hidden" name="_csrf" value="<%= it.csrfToken %>">
<button name="outcome" value="paid">Pay</button>
<button name="outcome" value="declined">Decline</button>
</form>
<% } %>
</body></html>
`;
