/** One's invoices: the list, each as a page to print with seller, buyer and addresses, and the way to pay it. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { creditNotePaper, findCreditNote } from '../../billing/invoices/credit-note-paper.ts';
import { CreditNoteParams } from '../../billing/invoices/invoice.schema.ts';
import { invoicePaper } from '../../billing/invoices/invoice-paper.ts';
import { findInvoice, type InvoiceRow, listInvoices } from '../../billing/invoices/invoice-rows.ts';
import { outstandingCents } from '../../billing/invoices/invoices.ts';
import { readParties } from '../../billing/invoices/parties.ts';
import { type LinkParts, paymentLink } from '../../billing/invoices/payment-links.ts';
import { referenceOf } from '../../billing/invoices/references.ts';
import type { Language } from '../../shared/language.ts';
import { pdfReply } from '../../shared/papers/paper-reply.ts';
import { judgeInvoice, payerWho, requireInvoiceAllowed } from '../../shared/policy/invoice-verdicts.ts';
import { notFound } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages, type SignedIn } from '../page.ts';
import { readPayable } from './checkouts.pages.ts';

export interface InvoicePageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly links: LinkParts;
}

const PER_PAGE = 20;
const Params = Type.Object({ number: Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,9}$' }) });

export function invoicePages(parts: InvoicePageParts): Endpoint[] {
  return [list(parts), one(parts), pdf(parts), creditNotePdf(parts), pay(parts)];
}

function list({ knex, pages }: InvoicePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/invoices',
    operationId: 'invoicesPage',
    summary: 'The invoices of the session’s user',
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const { page } = request.query;
        const { rows, paging } = await listInvoices(knex, who.userId, { page, per_page: PER_PAGE });
        const saleOf = await readSales(knex, rows, languageOf(request));
        const data = {
          payable: await readPayable(knex, who.userId),
          invoices: rows.map((row) => ({ ...row, ...boughtIn(row, saleOf, languageOf(request)) })),
          page,
          lastPage: lastPageOf(paging),
        };
        return pages.html(request, { title: 'Invoices', template: 'account/invoices', data });
      }),
  });
}

function one(parts: InvoicePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/invoices/{number}',
    operationId: 'invoicePage',
    summary: 'An invoice, to read and to print',
    params: Params,
    query: Type.Object({ unpaid: Type.Optional(Type.Literal('1')) }),
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const invoice = await requireOwn(parts, request, who);
        const { seller, buyer } = await readParties(parts.knex, invoice, parts.pages.operator.name);
        const saleOf = await readSales(parts.knex, [invoice], languageOf(request));
        const data = {
          sale: saleOf.get(invoice.auction_id) ?? null,
          invoice,
          seller,
          buyer,
          owedCents: outstandingCents(invoice),
          reference: referenceOf({ kind: 'invoice', id: invoice.id }),
          notice:
            request.query.unpaid === undefined
              ? null
              : {
                  kind: 'warn',
                  text: 'Online payment is not available at the moment. Try again in a few minutes.',
                },
        };
        return parts.pages.html(request, {
          title: ['{0}', invoice.invoice_number],
          template: 'account/invoice',
          data,
        });
      }),
  });
}

/** For browsers, whose links ask for pages. */
function pdf(parts: InvoicePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/invoices/{number}/pdf',
    operationId: 'invoicePdfPage',
    summary: 'An invoice as a PDF',
    params: Params,
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const invoice = await requireOwn(parts, request, who);
        return pdfReply(
          request,
          invoicePaper(invoice, await readParties(parts.knex, invoice, parts.pages.operator.name)),
        );
      }),
  });
}

function creditNotePdf({ knex, pages }: InvoicePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/credit-notes/{number}/pdf',
    operationId: 'creditNotePdfPage',
    summary: 'A credit note as a PDF',
    params: CreditNoteParams,
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const note = await findCreditNote(knex, request.params.number);
        const isOwn =
          note !== null &&
          judgeInvoice(note.invoice, 'read_page', payerWho(note.invoice, who.userId)) === 'allowed';
        if (!isOwn) throw notFound('There is no such credit note.');
        return pdfReply(
          request,
          creditNotePaper(note, await readParties(knex, note.invoice, pages.operator.name)),
        );
      }),
  });
}

/** Leads to the provider's page; the link is made when it is requested. */
function pay(parts: InvoicePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/invoices/{number}/pay',
    operationId: 'payInvoicePage',
    summary: 'Leads to where an invoice is paid',
    params: Params,
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const invoice = await requireOwn(parts, request, who);
        const link = await paymentLink(parts.links, invoice, who.email, request.baseUrl);
        const page = `/account/invoices/${invoice.invoice_number}`;
        if (link !== null) return parts.pages.go(link);
        return parts.pages.go(invoice.status === 'open' ? `${page}?unpaid=1` : page);
      }),
  });
}

/** The sales that invoices are of, by id, in the reader's words. */
async function readSales(knex: Knex, rows: readonly InvoiceRow[], language: Language) {
  const ids = new Set(rows.flatMap(({ auction_id: id }) => id ?? []));
  const sales = await Auction.query(knex).whereIn('id', [...ids]);
  return new Map<number | null, Auction>(sales.map((sale) => [sale.id, inReadersWords(sale, language)]));
}

/** What an invoice is for, to tell it from the others. */
function boughtIn(
  { lot, auction_id }: InvoiceRow,
  saleOf: ReadonlyMap<number | null, Auction>,
  language: Language,
) {
  return {
    lotTitle: lot == null ? null : inReadersWords(lot, language).title,
    saleTitle: saleOf.get(auction_id)?.title ?? null,
  };
}

async function requireOwn(
  { knex }: InvoicePageParts,
  request: HttpRequest<{ number: string }>,
  who: SignedIn,
): Promise<InvoiceRow> {
  const invoice = await findInvoice(knex, request.params.number);
  if (invoice === null) throw notFound('There is no such invoice.');
  requireInvoiceAllowed(invoice, 'read_page', payerWho(invoice, who.userId));
  return invoice;
}
