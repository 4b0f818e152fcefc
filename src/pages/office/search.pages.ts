/** `/office/search`: one search over people, sales, lots, invoices, payments, mails, from the box on every page. */
import { Type } from '@sinclair/typebox';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { MailRow } from '../../accounts/mail/mail.model.ts';
import { mailState, searchMails } from '../../accounts/mail/mail-delivery.ts';
import { searchInvoices, searchPayments } from '../../billing/staff/money-search.ts';
import { LOTS } from './found-lots.pages.ts';
import { INVOICES, MONEY, PAYMENTS } from './money-lists.ts';
import { type OfficePage, type OfficeParts, officeList } from './office.ts';
import { AUCTIONS, searchAuctions } from './office-auction-rows.ts';
import { searchLots } from './office-lot-rows.ts';
import { PEOPLE, searchPeople } from './people.pages.ts';
import { type QueueSection, sectionOf, type Waiting } from './queue-table.ts';
import { orderOf, pageIn, type RowTable } from './search-list.ts';

const PATH = '/office/search';
const MAX_LENGTH = 200;

const MAILS: RowTable<MailRow> = {
  columns: ['To', 'About', 'State', 'When'],
  row: (one) => [
    { href: `/office/people?q=${encodeURIComponent(one.recipient)}`, text: one.recipient },
    (one.about ?? one.kind).replaceAll('_', ' '),
    one.error === null ? { pill: mailState(one) } : `${mailState(one)}: ${one.error}`,
    { time: one.created_at },
  ],
};

export function officeSearchPages(parts: OfficeParts): Endpoint[] {
  return [
    officeList(parts, {
      path: PATH,
      operationId: 'officeSearchPage',
      summary: 'People, auctions, lots, invoices, payments and mails with what is searched for',
      query: Type.Object({ q: Type.String({ maxLength: MAX_LENGTH, default: '' }) }),
      read: ({ q }) => foundPage(parts, q.trim()),
    }),
  ];
}

const NEWEST = orderOf('', {}, 'id');
const NEWEST_INVOICE = orderOf('', {}, 'i.id');

async function foundPage({ knex }: OfficeParts, q: string): Promise<OfficePage> {
  const page = { section: null, heading: 'Search', q } as const;
  if (q === '') return { ...page, lead: 'Type a name, an address, a number or an amount.' };
  const query = encodeURIComponent(q);
  const sections = [
    found('People', PEOPLE, `/office/people?q=${query}`, (limit) =>
      pageIn(searchPeople(knex, q, ''), NEWEST, limit),
    ),
    found('Auctions', AUCTIONS, null, (limit) => searchAuctions(knex, q, limit)),
    found('Lots', LOTS, `/office/lots?q=${query}`, async (limit) => {
      const { rows, total } = await searchLots(knex, { q, status: '', page: 1, sort: '' });
      return { rows: rows.slice(0, limit), total };
    }),
    found('Invoices', INVOICES, `${MONEY}/invoices?q=${query}`, (limit) =>
      pageIn(searchInvoices(knex, { q }), NEWEST_INVOICE, limit),
    ),
    found('Payments', PAYMENTS, `${MONEY}/payments?q=${query}`, (limit) =>
      pageIn(searchPayments(knex, { q }), NEWEST, limit),
    ),
    found('Mails', MAILS, null, (limit) => searchMails(knex, q, limit)),
  ];
  const read = await Promise.all(sections.map((one) => one.read()));
  const tables = read.filter(({ total }) => total > 0).map(({ table }) => table);
  return { ...page, lead: tables.length === 0 ? `Nothing was found for “${q}”.` : `“${q}”`, tables };
}

/** What was found of a kind, as its own list shows it. */
function found<R>(
  heading: string,
  { columns, row }: RowTable<R>,
  all: string | null,
  read: Waiting<R>['read'],
): QueueSection {
  const names = columns.map((column) => (typeof column === 'string' ? column : column.name));
  return sectionOf({ heading, columns: names, row, all, read, empty: '' });
}
