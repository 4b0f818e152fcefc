/** `/office/money`: what waits for staff, and the lists of invoices, settlements and payments behind it. */
import { Type } from '@sinclair/typebox';
import { PAYMENT_STATUSES, type Payment } from '../../billing/invoices/payment.model.ts';
import { type MoneyTry, setAsideTries } from '../../billing/payments/money-tries.ts';
import {
  type InvoiceFound,
  type SettlementFound,
  searchInvoices,
  searchPayments,
  searchSettlements,
} from '../../billing/staff/money-search.ts';
import { statusesOf } from '../../shared/statuses/billing-statuses.ts';
import { NamedText, namedThings } from './named-filter.ts';
import type { Cell, OfficeList, OfficeParts } from './office.ts';
import {
  choiceFilter,
  orderOf,
  pageIn,
  type RowTable,
  requestedPage,
  SEARCH,
  searchList,
  tableOf,
  wordsFilter,
} from './search-list.ts';

export const MONEY = '/office/money';
const MAX_WAITING = 50;

export const BOOKS = `${MONEY}/books`;
export const TAX_NUMBERS = `${MONEY}/tax-numbers`;

export const MONEY_TABS = [
  [MONEY, 'Waiting'],
  [`${MONEY}/invoices`, 'Invoices'],
  [`${MONEY}/settlements`, 'Settlements'],
  [`${MONEY}/payments`, 'Payments'],
  [BOOKS, 'Books'],
  [TAX_NUMBERS, 'Tax numbers'],
] as const;

const NoQuery = Type.Object({});

const ListQuery = Type.Object({
  ...SEARCH,
  status: Type.String({ maxLength: 20, default: '' }),
  team: NamedText,
});

/** Name in the address → column. */
const INVOICE_SORTS = { due: 'i.due_at', owed: 'i.amount_due_cents', paid: 'i.amount_paid_cents' };
const SETTLEMENT_SORTS = { seller: 't.name', auction: 'a.title', made: 's.created_at' };
const PAYMENT_SORTS = { amount: 'amount_cents', back: 'refunded_cents', came: 'created_at' };

/** An invoice by its number, with its page. */
export const invoiceCell = (number: string | undefined): Cell =>
  number === undefined ? null : { href: `${MONEY}/invoices/${number}`, text: number };

/** A payment by the provider’s name of it, with its page. */
export const paymentCell = ({ id, payment_id }: Payment): Cell => ({
  href: `${MONEY}/payments/${id}`,
  text: payment_id,
});

/** What work was set aside on. */
export const setAsideCell = ({ invoice, payment }: MoneyTry): Cell =>
  payment == null ? invoiceCell(invoice?.invoice_number) : paymentCell(payment);

export const INVOICES: RowTable<InvoiceFound> = {
  columns: [
    'Invoice',
    'Kind',
    'State',
    'Who owes it',
    { name: 'Due', sort: 'due' },
    { name: 'Owed', sort: 'owed' },
    { name: 'Paid', sort: 'paid' },
  ],
  row: (one) => [
    invoiceCell(one.invoice_number),
    one.kind,
    { pill: one.status },
    { href: `/office/people/${one.user_id}`, text: one.email },
    { time: one.due_at },
    { cents: one.amount_due_cents, currency: one.currency },
    { cents: one.amount_paid_cents, currency: one.currency },
  ],
  pick: ({ invoice_number: number }) => ({ id: number, name: number }),
};

const SETTLEMENTS: RowTable<SettlementFound> = {
  columns: [
    'Settlement',
    'State',
    { name: 'Seller', sort: 'seller' },
    { name: 'Auction', sort: 'auction' },
    { name: 'Made', sort: 'made' },
  ],
  row: (one) => [
    { href: `${MONEY}/settlements/${one.id}`, text: one.statement_number },
    { pill: one.status },
    { href: `/office/sellers/${one.team_id}`, text: one.team_name },
    one.auction_title,
    { time: one.created_at },
  ],
  pick: (one) => ({ id: String(one.id), name: one.statement_number }),
};

export const PAYMENTS: RowTable<Payment> = {
  columns: [
    'Payment',
    'State',
    { name: 'Amount', sort: 'amount' },
    { name: 'Sent back', sort: 'back' },
    'Meant for',
    { name: 'Came', sort: 'came' },
  ],
  row: (one) => [
    paymentCell(one),
    { pill: one.status },
    { cents: one.amount_cents, currency: one.currency },
    { cents: one.refunded_cents, currency: one.currency },
    invoiceCell(one.invoice?.invoice_number),
    { time: one.created_at },
  ],
};

export function waitingList(parts: OfficeParts): OfficeList<typeof NoQuery> {
  const { knex } = parts;
  return {
    path: MONEY,
    operationId: 'officeMoneyPage',
    summary: 'Money that is waiting for staff',
    query: NoQuery,
    async read() {
      const settlements = (status: string) =>
        pageIn(searchSettlements(knex, { status }), orderOf('', {}, 's.id'), MAX_WAITING);
      const payments = (which: Parameters<typeof searchPayments>[1]) =>
        pageIn(searchPayments(knex, which), orderOf('', {}, 'id'), MAX_WAITING);
      const [pending, approved, unallocated, setAside, disputed] = await Promise.all([
        settlements('pending'),
        settlements('approved'),
        payments({ status: 'unallocated' }),
        setAsideTries(knex),
        payments({ disputed: true }),
      ]);
      return {
        section: 'money',
        heading: 'Money',
        tabs: MONEY_TABS,
        tables: [
          tableOf(
            SETTLEMENTS,
            pending.rows,
            'No settlement is waiting for approval.',
            'Settlements to approve',
          ),
          tableOf(
            SETTLEMENTS,
            approved.rows,
            'No settlement is waiting for its pay-out.',
            'Settlements to pay',
          ),
          tableOf(
            PAYMENTS,
            unallocated.rows,
            'Every payment has been matched to an invoice.',
            'Unallocated payments',
          ),
          tableOf(PAYMENTS, disputed.rows, 'No payment is disputed.', 'Disputed payments'),
          {
            heading: 'Set aside after too many tries',
            columns: ['Invoice or payment', 'Why'],
            rows: setAside.rows.map((tried) => [setAsideCell(tried), tried.reason]),
            empty: 'Nothing was set aside.',
          },
        ],
      };
    },
  };
}

export function invoiceList({ knex }: OfficeParts): OfficeList<typeof ListQuery> {
  return searchList({
    path: `${MONEY}/invoices`,
    operationId: 'officeInvoicesPage',
    summary: 'Everybody’s invoices',
    query: ListQuery,
    section: 'money',
    heading: 'Invoices',
    tabs: MONEY_TABS,
    filters: ({ q, status }) => [
      wordsFilter('Number, amount, or who owes it', q),
      choiceFilter('status', 'State', status, statusesOf('invoice')),
    ],
    find: ({ q, status, ...requested }) =>
      requestedPage(searchInvoices(knex, { q: q.trim(), status }), requested, INVOICE_SORTS, 'i.id'),
    ...INVOICES,
    empty: 'No invoice was found.',
  });
}

export function settlementList({ knex }: OfficeParts): OfficeList<typeof ListQuery> {
  return searchList({
    path: `${MONEY}/settlements`,
    operationId: 'officeSettlementsPage',
    summary: 'Settlements of all sellers',
    query: ListQuery,
    section: 'money',
    heading: 'Settlements',
    tabs: MONEY_TABS,
    named: (query) => namedThings(knex, ['team'], query),
    filters: ({ q, status }, named) => [
      wordsFilter('Number', q),
      ...named,
      choiceFilter('status', 'State', status, statusesOf('settlement')),
    ],
    find: ({ q, status, ...requested }, { team }) =>
      requestedPage(
        searchSettlements(knex, { q: q.trim(), status, teamId: team }),
        requested,
        SETTLEMENT_SORTS,
        's.id',
      ),
    ...SETTLEMENTS,
    empty: 'No settlement was found.',
  });
}

export function paymentList({ knex }: OfficeParts): OfficeList<typeof ListQuery> {
  return searchList({
    path: `${MONEY}/payments`,
    operationId: 'officePaymentsPage',
    summary: 'Payments received',
    query: ListQuery,
    section: 'money',
    heading: 'Payments',
    tabs: MONEY_TABS,
    filters: ({ q, status }) => [
      wordsFilter('Number, amount, invoice or payer', q),
      choiceFilter('status', 'State', status, PAYMENT_STATUSES),
    ],
    find: ({ q, status, ...requested }) =>
      requestedPage(searchPayments(knex, { q: q.trim(), status }), requested, PAYMENT_SORTS, 'id'),
    ...PAYMENTS,
    pick: (one) => ({ id: String(one.id), name: one.payment_id }),
    empty: 'No payment was found.',
  });
}
