/** `/office/money`: what waits for staff, and the lists of invoices, settlements and payments behind it. */
import { Type } from '@sinclair/typebox';
import type { Payment } from '../../billing/invoices/payment.model.ts';
import {
  type InvoiceFound,
  type SettlementFound,
  searchInvoices,
  searchSettlements,
} from '../../billing/staff/money-search.ts';
import { listPayments } from '../../billing/staff/payment-orders.ts';
import { statusesOf } from '../../billing/states.ts';
import { Id } from '../../shared/fields.schema.ts';
import {
  type Cell,
  keptQuery,
  lastPageOf,
  type OfficeList,
  type OfficeParts,
  orderOf,
  SEARCH,
  sortedBy,
  type Table,
} from './office.ts';

export const MONEY = '/office/money';
const PER_PAGE = 25;
const MAX_WAITING = 50;

export const MONEY_TABS = [
  [MONEY, 'Waiting'],
  [`${MONEY}/invoices`, 'Invoices'],
  [`${MONEY}/settlements`, 'Settlements'],
  [`${MONEY}/payments`, 'Payments'],
] as const;

const NoQuery = Type.Object({});

const ListQuery = Type.Object({
  ...SEARCH,
  status: Type.String({ maxLength: 20, default: '' }),
  team: Type.Optional(Id),
});

export function waitingList(parts: OfficeParts): OfficeList<typeof NoQuery> {
  const { knex } = parts;
  return {
    path: MONEY,
    operationId: 'officeMoneyPage',
    summary: 'Money that waits for staff',
    query: NoQuery,
    async read() {
      const waiting = { q: '', page: 1, perPage: MAX_WAITING };
      const [pending, approved, unallocated] = await Promise.all([
        searchSettlements(knex, { ...waiting, status: 'pending' }),
        searchSettlements(knex, { ...waiting, status: 'approved' }),
        listPayments(knex, { status: 'unallocated', page: 1, perPage: MAX_WAITING }),
      ]);
      return {
        section: 'money',
        heading: 'Money',
        tabs: MONEY_TABS,
        tables: [
          settlementTable('Settlements to approve', pending.rows, 'No settlement waits for approval.'),
          settlementTable('Settlements to pay', approved.rows, 'No settlement waits for its pay-out.'),
          paymentTable('Unallocated payments', unallocated.rows, 'Every payment has found its invoice.'),
        ],
      };
    },
  };
}

export function invoiceList(parts: OfficeParts): OfficeList<typeof ListQuery> {
  return {
    path: `${MONEY}/invoices`,
    operationId: 'officeInvoicesPage',
    summary: 'Invoices of everybody',
    query: ListQuery,
    async read(query) {
      const { q, status, page } = query;
      const { rows, total } = await searchInvoices(parts.knex, {
        q: q.trim(),
        status,
        page,
        perPage: PER_PAGE,
        order: orderOf(query.sort, INVOICE_SORTS, 'i.id'),
      });
      return {
        section: 'money',
        heading: 'Invoices',
        tabs: MONEY_TABS,
        filters: [
          { name: 'q', label: 'Search', placeholder: 'Number, or e-mail address of who owes it', value: q },
          statusFilter(status, statusesOf('invoice')),
        ],
        tables: [invoiceTable(rows, query)],
        pager: { page, lastPage: lastPageOf(total, PER_PAGE), query: keptQuery(query) },
      };
    },
  };
}

export function settlementList(parts: OfficeParts): OfficeList<typeof ListQuery> {
  return {
    path: `${MONEY}/settlements`,
    operationId: 'officeSettlementsPage',
    summary: 'Settlements of all sellers',
    query: ListQuery,
    async read(query) {
      const { q, status, team, page } = query;
      const order = orderOf(query.sort, SETTLEMENT_SORTS, 's.id');
      const search = { q: q.trim(), status, teamId: team, page, perPage: PER_PAGE, order };
      const { rows, total } = await searchSettlements(parts.knex, search);
      return {
        section: 'money',
        heading: 'Settlements',
        tabs: MONEY_TABS,
        filters: [
          { name: 'q', label: 'Search', placeholder: 'Number', value: q },
          { name: 'team', label: 'Number of a team', value: team === undefined ? '' : String(team) },
          statusFilter(status, statusesOf('settlement')),
        ],
        tables: [settlementTable(null, rows, 'No settlement was found.', query)],
        pager: { page, lastPage: lastPageOf(total, PER_PAGE), query: keptQuery(query) },
      };
    },
  };
}

const PAYMENT_STATUSES = ['applied', 'failed', 'unallocated', 'refunded'] as const;

export function paymentList(parts: OfficeParts): OfficeList<typeof ListQuery> {
  return {
    path: `${MONEY}/payments`,
    operationId: 'officePaymentsPage',
    summary: 'Payments that came',
    query: ListQuery,
    async read(query) {
      const { status, page } = query;
      const known = PAYMENT_STATUSES.find((one) => one === status);
      const { rows, total } = await listPayments(parts.knex, {
        ...(known === undefined ? {} : { status: known }),
        order: orderOf(query.sort, PAYMENT_SORTS, 'id'),
        page,
        perPage: PER_PAGE,
      });
      return {
        section: 'money',
        heading: 'Payments',
        tabs: MONEY_TABS,
        filters: [statusFilter(status, PAYMENT_STATUSES)],
        tables: [paymentTable(null, rows, 'No payment was found.', query)],
        pager: { page, lastPage: lastPageOf(total, PER_PAGE), query: keptQuery(query) },
      };
    },
  };
}

function statusFilter(value: string, statuses: readonly string[]) {
  const options = [['', 'All'], ...statuses.map((one): [string, string] => [one, one])] as const;
  return { name: 'status', label: 'State', value, options };
}

/** Name in the address → column. */
const INVOICE_SORTS = { due: 'i.due_at', owed: 'i.amount_due_cents', paid: 'i.amount_paid_cents' };
const SETTLEMENT_SORTS = { seller: 't.name', auction: 'a.title', made: 's.created_at' };
const PAYMENT_SORTS = { amount: 'amount_cents', back: 'refunded_cents', came: 'created_at' };

/** The columns of a table; where nothing can be requested, none sorts. */
function columnsOf(
  query: Sorted | undefined,
  columns: readonly (string | readonly [name: string, sort: string])[],
): Pick<Table, 'columns' | 'sorted'> {
  const named = columns.map((one) => {
    if (typeof one === 'string') return one;
    return query === undefined ? one[0] : { name: one[0], sort: one[1] };
  });
  return query === undefined ? { columns: named } : { columns: named, sorted: sortedBy(query) };
}

type Sorted = Parameters<typeof sortedBy>[0];

function invoiceTable(rows: readonly InvoiceFound[], query: Sorted): Table {
  return {
    heading: null,
    columns: [
      'Invoice',
      'Kind',
      'State',
      'Who owes it',
      { name: 'Due', sort: 'due' },
      { name: 'Owed', sort: 'owed' },
      { name: 'Paid', sort: 'paid' },
    ],
    sorted: sortedBy(query),
    rows: rows.map((row): Cell[] => [
      { href: `${MONEY}/invoices/${row.invoice_number}`, text: row.invoice_number },
      row.kind,
      { pill: row.status },
      { href: `/office/people/${row.user_id}`, text: row.email },
      { time: row.due_at },
      { cents: row.amount_due_cents, currency: row.currency },
      { cents: row.amount_paid_cents, currency: row.currency },
    ]),
    picks: rows.map((row) => ({ id: row.invoice_number, name: row.invoice_number })),
    empty: 'No invoice was found.',
  };
}

function settlementTable(
  heading: string | null,
  rows: readonly SettlementFound[],
  empty: string,
  query?: Sorted,
): Table {
  return {
    heading,
    ...columnsOf(query, [
      'Settlement',
      'State',
      ['Seller', 'seller'],
      ['Auction', 'auction'],
      ['Made', 'made'],
    ]),
    rows: rows.map((row): Cell[] => [
      { href: `${MONEY}/settlements/${row.id}`, text: row.statement_number },
      { pill: row.status },
      { href: `/office/sellers/${row.team_id}`, text: row.team_name },
      row.auction_title,
      { time: row.created_at },
    ]),
    picks: rows.map((row) => ({ id: String(row.id), name: row.statement_number })),
    empty,
  };
}

function paymentTable(
  heading: string | null,
  rows: readonly Payment[],
  empty: string,
  query?: Sorted,
): Table {
  return {
    heading,
    ...columnsOf(query, [
      'Payment',
      'State',
      ['Amount', 'amount'],
      ['Sent back', 'back'],
      'Meant for',
      ['Came', 'came'],
    ]),
    rows: rows.map((row): Cell[] => [
      { href: `${MONEY}/payments/${row.id}`, text: row.payment_id },
      { pill: row.status },
      { cents: row.amount_cents, currency: row.currency },
      { cents: row.refunded_cents, currency: row.currency },
      row.invoice === null || row.invoice === undefined
        ? null
        : { href: `${MONEY}/invoices/${row.invoice.invoice_number}`, text: row.invoice.invoice_number },
      { time: row.created_at },
    ]),
    ...(query === undefined
      ? {}
      : { picks: rows.map((row) => ({ id: String(row.id), name: row.payment_id })) }),
    empty,
  };
}
