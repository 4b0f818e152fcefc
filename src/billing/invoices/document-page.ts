/** An invoice as a page to print: everything that is on it, nothing that moves, everything escaped. */
import { Eta } from 'eta';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import type { InvoiceRow } from './invoice-rows.ts';
import { outstandingCents } from './invoices.ts';

export interface Addressee {
  readonly name: string;
  readonly email: string;
}

const TITLES = {
  winner: 'Invoice',
  platform_fee: 'Platform fee invoice',
  subscription: 'Subscription invoice',
  deposit: 'Deposit invoice',
} as const;

/** The page as HTML; `stylesheet` is the address of its style sheet. */
export function renderInvoice(
  row: InvoiceRow,
  to: Addressee,
  paymentUrl: string | null,
  stylesheet: string,
): string {
  const money = (cents: number) =>
    `${formatCents(cents, decimalsOf(row.currency))} ${row.currency.toUpperCase()}`;
  return eta.renderString(TEMPLATE, {
    title: TITLES[row.kind],
    number: row.invoice_number,
    status: row.is_overdue ? 'open, overdue' : row.status,
    to,
    created: row.created_at.slice(0, 10),
    due: row.due_at.slice(0, 10),
    conditions: row.conditions_version,
    paid: row.paid_at?.slice(0, 10) ?? null,
    lines: row.lines.map((line) => ({ description: line.description, amount: money(line.amount_cents) })),
    credits: row.credits.map(({ deposit, amount_cents }) => ({
      description: `Deposit ${deposit?.invoice_number ?? ''}`,
      amount: `−${money(amount_cents)}`,
    })),
    total: money(row.amount_due_cents),
    received: row.amount_paid_cents === 0 ? null : money(row.amount_paid_cents),
    refunded: row.amount_refunded_cents === 0 ? null : money(row.amount_refunded_cents),
    owed: row.status === 'open' ? money(outstandingCents(row)) : null,
    paymentUrl,
    stylesheet,
  });
}

const eta = new Eta({ autoEscape: true });

const TEMPLATE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title><%= it.title %> <%= it.number %></title>
<link rel="stylesheet" href="<%= it.stylesheet %>"></head>
<body>
<h1><%= it.title %> <%= it.number %></h1>
<dl>
<dt>Billed to</dt><dd><%= it.to.name %> (<%= it.to.email %>)</dd>
<dt>Date</dt><dd><%= it.created %></dd>
<dt>Due</dt><dd><%= it.due %></dd>
<% if (it.conditions !== null) { %><dt>Conditions of sale</dt><dd>Version <%= it.conditions %></dd><% } %>
<dt>Status</dt><dd><%= it.status %></dd>
<% if (it.paid !== null) { %><dt>Paid</dt><dd><%= it.paid %></dd><% } %>
</dl>
<table>
<thead><tr><th>Description</th><th>Amount</th></tr></thead>
<tbody>
<% for (const line of it.lines) { %><tr><td><%= line.description %></td><td><%= line.amount %></td></tr>
<% } for (const credit of it.credits) { %><tr><td><%= credit.description %></td><td><%= credit.amount %></td></tr>
<% } %></tbody>
<tfoot>
<tr><td>Total</td><td><%= it.total %></td></tr>
<% if (it.received !== null) { %><tr><td>Received</td><td><%= it.received %></td></tr><% } %>
<% if (it.refunded !== null) { %><tr><td>Refunded</td><td><%= it.refunded %></td></tr><% } %>
<% if (it.owed !== null) { %><tr><td>Still owed</td><td><%= it.owed %></td></tr><% } %>
</tfoot>
</table>
<% if (it.paymentUrl !== null) { %><p class="screen"><a href="<%= it.paymentUrl %>">Pay this invoice</a></p><% } %>
</body></html>
`;
