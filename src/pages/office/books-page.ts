/** `/office/money/books`: the balances of the ledger's accounts, and the postings behind each figure. */
import { type Static, Type } from '@sinclair/typebox';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { type AccountFilter, isAccount, readAccounts } from '../../billing/books/accounts-read.ts';
import { ACCOUNT_NAMES, ACCOUNTS, POSTING_KINDS } from '../../billing/ledger/chart-of-accounts.ts';
import { keptQuery, PageNumber } from '../lists.ts';
import { BOOKS, MONEY, MONEY_TABS } from './money-lists.ts';
import { NamedText, type NamedThings, namedThings } from './named-filter.ts';
import type { Cell, OfficeList, OfficeParts } from './office.ts';
import { choiceFilter, monthFilter } from './search-list.ts';

const Query = Type.Object({
  account: Type.String({ maxLength: 30, default: '' }),
  auction: NamedText,
  lot: NamedText,
  team: NamedText,
  invoice: Type.String({ maxLength: 30, default: '' }),
  month: Type.String({ maxLength: 7, default: '' }),
  page: PageNumber,
});

const PER_PAGE = 200;

export function booksList({ knex }: OfficeParts): OfficeList<typeof Query> {
  return {
    path: BOOKS,
    operationId: 'officeBooksPage',
    summary: 'The books by account',
    query: Query,
    async read(query) {
      const { account, invoice, month, page } = query;
      const { ids, filters } = await namedThings(knex, ['auction', 'lot', 'team'], query);
      const filter = filterOf(query, ids);
      const listed = filter.account === undefined ? 0 : PER_PAGE;
      const accounts = await readAccounts(knex, filter, listed, (page - 1) * PER_PAGE);
      const entries = filter.account === undefined ? [] : accounts;
      const total = entries.reduce((sum, one) => sum + one.entries, 0);
      return {
        section: 'money',
        heading: 'Books',
        tabs: MONEY_TABS,
        filters: [
          choiceFilter('account', 'Account', account, Object.entries(ACCOUNT_NAMES)),
          ...filters,
          { name: 'invoice', label: 'Invoice', value: invoice, type: 'text' },
          monthFilter('month', 'Month', month),
        ],
        tables: [
          {
            heading: 'Accounts',
            columns: ['Account', 'What it holds', 'Balance'],
            rows: accounts.map(({ account: name, currency, balance }): Cell[] => [
              {
                href: `${BOOKS}?${keptQuery({ ...query, account: undefined })}account=${name}`,
                text: ACCOUNT_NAMES[name],
              },
              ACCOUNTS[name],
              { cents: balance, currency },
            ]),
            empty: 'Nothing was posted.',
          },
          ...entries.map(({ account: name, currency, postings }) => ({
            heading: `Postings: ${ACCOUNT_NAMES[name]}, ${currency.toUpperCase()}, the newest first`,
            columns: ['When', 'Month', 'What', 'Cause', 'Amount', 'Invoice', 'Payment'],
            rows: postings.map((entry): Cell[] => [
              { time: entry.posted_at },
              { month: entry.month },
              POSTING_KINDS[entry.kind],
              entry.cause,
              { cents: entry.amount, currency },
              entry.invoice_number === null
                ? entry.statement_number
                : { href: `${MONEY}/invoices/${entry.invoice_number}`, text: entry.invoice_number },
              entry.payment_id,
            ]),
            empty: 'None on this page.',
          })),
        ],
        ...(total > PER_PAGE ? { foot: `${total} postings, ${PER_PAGE} on each page.` } : {}),
        pager: { page, lastPage: lastPageOf({ perPage: PER_PAGE, total }), query: keptQuery(query) },
      };
    },
  };
}

function filterOf({ account, invoice, month }: Static<typeof Query>, ids: NamedThings['ids']): AccountFilter {
  return {
    ...(isAccount(account) ? { account } : {}),
    ...ids,
    ...(invoice.trim() === '' ? {} : { invoice: invoice.trim() }),
    ...(month === '' ? {} : { month }),
  };
}
