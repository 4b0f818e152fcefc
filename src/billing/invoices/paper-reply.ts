/** A paper as an answer: a page to print, with everything escaped, or the PDF for whoever would rather have that. */
import { Eta } from 'eta';
import Negotiator from 'negotiator';
import type { HttpRequest, Reply } from '../../../adapters/http/endpoint.ts';
import { type Paper, paperPdf } from '../../../adapters/pdf/paper-pdf.ts';

export interface PaperOptions {
  /** The address of the page's style sheet. */
  readonly stylesheet: string;
  /** Where it can be paid, for the page. */
  readonly paymentUrl: string | null;
}

const HEADERS = { 'Cache-Control': 'private, no-store', Vary: 'Accept' };

/** What an endpoint of papers answers with. */
export const PAPER_RESPONSES = {
  200: {
    description: 'The page, or with `Accept: application/pdf` the PDF.',
    contentType: ['text/html', 'application/pdf'],
  },
} as const;

/** In the form that the request's `Accept` likes best. */
export async function paperReply(
  { headers }: Pick<HttpRequest, 'headers'>,
  paper: Paper,
  options: PaperOptions,
): Promise<Reply> {
  const type = new Negotiator({ headers }).mediaType(['text/html', 'application/pdf']);
  if (type === 'application/pdf') return pdfReply(paper);
  return {
    status: 200,
    raw: eta.renderString(TEMPLATE, { ...paper, ...options }),
    contentType: 'text/html; charset=utf-8',
    headers: HEADERS,
  };
}

/** The PDF, shown by a browser and saved under its title. */
export async function pdfReply(paper: Paper): Promise<Reply> {
  const name = paper.title.replaceAll(' ', '-');
  return {
    status: 200,
    raw: await paperPdf(paper),
    contentType: 'application/pdf',
    headers: { ...HEADERS, 'Content-Disposition': `inline; filename="${name}.pdf"` },
  };
}

const eta = new Eta({ autoEscape: true });

const TEMPLATE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title><%= it.title %></title>
<link rel="stylesheet" href="<%= it.stylesheet %>"></head>
<body>
<h1><%= it.title %></h1>
<dl>
<% for (const { heading, lines } of it.parties) { %><dt><%= heading %></dt><dd><%
for (const [index, line] of lines.entries()) { if (index > 0) { %><br><% } %><%= line %><% } %></dd>
<% } for (const [label, value] of it.facts) { %><dt><%= label %></dt><dd><%= value %></dd>
<% } %></dl>
<table>
<thead><tr><th>Description</th><th>Amount</th></tr></thead>
<tbody>
<% for (const [label, value] of it.rows) { %><tr><td><%= label %></td><td><%= value %></td></tr>
<% } %></tbody>
<tfoot>
<% for (const [label, value] of it.totals) { %><tr><td><%= label %></td><td><%= value %></td></tr>
<% } %></tfoot>
</table>
<% if (it.paymentUrl !== null) { %><p class="screen"><a href="<%= it.paymentUrl %>">Pay this invoice</a></p><% } %>
</body></html>
`;
