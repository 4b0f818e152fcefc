/** A paper as an answer: a page to print, with everything escaped, or the PDF for whoever would rather have that. */
import { Eta } from 'eta';
import Negotiator from 'negotiator';
import type { HttpRequest, Reply } from '../../../adapters/http/endpoint.ts';
import { type Paper, paperPdf } from '../../../adapters/pdf/paper-pdf.ts';
import { type Language, readersLanguage } from '../language.ts';
import { inLanguage } from '../languages/phrasebook.ts';

export interface PaperOptions {
  /** The address of the page's style sheet. */
  readonly stylesheet: string;
  /** Where it can be paid, for the page. */
  readonly paymentUrl: string | null;
}

const HEADERS = { 'Cache-Control': 'private, no-store', Vary: 'Accept, Accept-Language, Cookie' };

/** What an endpoint of papers answers with. */
export const PAPER_RESPONSES = {
  200: {
    description: 'The page, or with `Accept: application/pdf` the PDF.',
    contentType: ['text/html', 'application/pdf'],
  },
} as const;

/** In the form that the request's `Accept` likes best. */
export async function paperReply(request: Reader, paper: Paper, options: PaperOptions): Promise<Reply> {
  const { headers } = request;
  const type = new Negotiator({ headers }).mediaType(['text/html', 'application/pdf']);
  if (type === 'application/pdf') return pdfReply(request, paper);
  const language = languageFor(request);
  const say = (text: string) => inLanguage(language, text);
  return {
    status: 200,
    raw: eta.renderString(TEMPLATE, { ...paperIn(language, paper), ...options, language, say }),
    contentType: 'text/html; charset=utf-8',
    headers: { ...HEADERS, 'Content-Language': language },
  };
}

/** The PDF, shown by a browser and saved under its title. */
export async function pdfReply(request: Reader, paper: Paper): Promise<Reply> {
  const name = paper.title.replaceAll(' ', '-');
  const language = languageFor(request);
  return {
    status: 200,
    raw: await paperPdf(paperIn(language, paper), language),
    contentType: 'application/pdf',
    headers: {
      ...HEADERS,
      'Content-Language': language,
      'Content-Disposition': `inline; filename="${name}.pdf"`,
    },
  };
}

/** Whoever reads it: what their account or their browser likes. */
type Reader = Pick<HttpRequest, 'headers' | 'principal' | 'session'>;

function languageFor({ headers, principal, session }: Reader): Language {
  const own = (session?.principal ?? principal)?.language ?? null;
  return readersLanguage(own, headers['accept-language']);
}

/** Its headings and labels in a language; names, addresses and what was sold are as they were when it was made. */
export function paperIn(language: Language, paper: Paper): Paper {
  const say = (text: string) => inLanguage(language, text);
  return {
    title: say(paper.title),
    parties: paper.parties.map(({ heading, lines }) => ({ heading: say(heading), lines })),
    facts: paper.facts.map(([label, value]) => [say(label), say(value)]),
    columns: [say('Description'), say('Amount')],
    rows: paper.rows,
    totals: paper.totals.map(([label, value]) => [say(label), value]),
  };
}

const eta = new Eta({ autoEscape: true });

const TEMPLATE = `<!doctype html>
<html lang="<%= it.language %>">
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
<thead><tr><th><%= it.say('Description') %></th><th><%= it.say('Amount') %></th></tr></thead>
<tbody>
<% for (const [label, value] of it.rows) { %><tr><td><%= label %></td><td><%= value %></td></tr>
<% } %></tbody>
<tfoot>
<% for (const [label, value] of it.totals) { %><tr><td><%= label %></td><td><%= value %></td></tr>
<% } %></tfoot>
</table>
<% if (it.paymentUrl !== null) { %><p class="screen"><a href="<%= it.paymentUrl %>"><%= it.say('Pay this invoice') %></a></p><% } %>
</body></html>
`;
