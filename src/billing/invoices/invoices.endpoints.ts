/**
 * A person's own invoices: the list, one in full, and the page to print. Whose invoice it is decides alone; an admin
 * reads nobody else's.
 */
import { type Endpoint, endpoint, type Principal } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { bodyOf, listBody } from '../../shared/paging/page.schema.ts';
import { PAPER_RESPONSES, paperReply } from '../../shared/papers/paper-reply.ts';
import { payerWho, requireInvoiceAllowed } from '../../shared/policy/invoice-verdicts.ts';
import { notFound } from '../../shared/refusal.ts';
import { creditNotePaper, findCreditNote } from './credit-note-paper.ts';
import { CreditNoteParams, InvoiceBody, InvoiceListQuery, InvoiceParams } from './invoice.schema.ts';
import { invoicePaper } from './invoice-paper.ts';
import { findInvoice, type InvoiceRow, listInvoices, presentInvoice } from './invoice-rows.ts';
import { readParties } from './parties.ts';
import { knownLink, type LinkParts, paymentLink } from './payment-links.ts';

const head = {
  method: 'GET',
  tags: ['Invoices'],
  access: { kind: 'ability', ability: 'read' },
} as const;

export interface InvoiceParts extends LinkParts {
  /** The address of the printed page's style sheet. */
  readonly stylesheet: string;
  /** The name of who runs the marketplace. */
  readonly operatorName: () => string;
}

export function invoiceEndpoints(parts: InvoiceParts): Endpoint[] {
  const { knex } = parts;
  return [
    endpoint({
      ...head,
      path: '/api/v1/invoices',
      operationId: 'listInvoices',
      summary: 'The caller’s invoices, newest first',
      query: InvoiceListQuery,
      responses: {
        200: { description: 'One page of them.', schema: listBody(InvoiceBody) },
      },
      async handle({ principal, query, baseUrl }) {
        const { rows, paging } = await listInvoices(knex, principal.userId, query);
        return listOf(
          rows.map((row) => presentInvoice(row, knownLink(row, baseUrl))),
          paging,
        );
      },
    }),
    endpoint({
      ...head,
      path: '/api/v1/invoices/{id}',
      operationId: 'getInvoice',
      summary: 'One invoice, by id or by number',
      params: InvoiceParams,
      responses: {
        200: { description: 'The invoice.', schema: bodyOf(InvoiceBody) },
      },
      async handle({ principal, params, baseUrl }) {
        const row = await ownInvoice(parts, params.id, principal);
        return success(presentInvoice(row, await paymentLink(parts, row, principal.email, baseUrl)));
      },
    }),
    documentEndpoint(parts),
    creditNoteEndpoint(parts),
  ];
}

/** A page for people: a browser session opens it, and so does a token. */
function documentEndpoint(parts: InvoiceParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/invoices/{id}/document',
    access: { kind: 'ability', ability: 'read', session: true },
    operationId: 'printInvoice',
    summary: 'The invoice as a printable page or a PDF, with both addresses and tax numbers',
    params: InvoiceParams,
    responses: PAPER_RESPONSES,
    async handle(request) {
      const { principal, params, baseUrl } = request;
      const row = await ownInvoice(parts, params.id, principal);
      const paper = invoicePaper(row, await readParties(parts.knex, row, parts.operatorName()));
      const paymentUrl = await paymentLink(parts, row, principal.email, baseUrl);
      return paperReply(request, paper, { paymentUrl, stylesheet: parts.stylesheet });
    },
  });
}

function creditNoteEndpoint(parts: InvoiceParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/credit-notes/{number}/document',
    access: { kind: 'ability', ability: 'read', session: true },
    operationId: 'printCreditNote',
    summary: 'A credit note as a printable page or a PDF',
    params: CreditNoteParams,
    responses: PAPER_RESPONSES,
    async handle(request) {
      const { principal, params } = request;
      const note = await findCreditNote(parts.knex, params.number);
      if (note === null) throw notFound('There is no such credit note.');
      requireOwn(note.invoice, principal);
      const paper = creditNotePaper(note, await readParties(parts.knex, note.invoice, parts.operatorName()));
      return paperReply(request, paper, { paymentUrl: null, stylesheet: parts.stylesheet });
    },
  });
}

async function ownInvoice(parts: LinkParts, id: string, principal: Principal): Promise<InvoiceRow> {
  const row = await findInvoice(parts.knex, id);
  if (row === null) throw notFound('There is no such invoice.');
  requireOwn(row, principal);
  return row;
}

function requireOwn(invoice: Pick<InvoiceRow, 'kind' | 'status' | 'user_id'>, { userId }: Principal): void {
  requireInvoiceAllowed(invoice, 'read', payerWho(invoice, userId));
}
