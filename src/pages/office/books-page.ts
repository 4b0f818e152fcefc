/** `/office/money/books`: the balances of the ledger's accounts, and the postings behind each figure. */
import { Type } from '@sinclair/typebox';
import { type AccountFilter, isAccount, readAccounts } from '../../billing/books/accounts-read.ts';
import { ACCOUNTS } from '../../billing/ledger/chart-of-accounts.ts';
import { Id } from '../../shared/fields.schema.ts';
import { keptQuery } from '../lists.ts';
import { BOOKS, MONEY, MONEY_TABS } from './money-lists.ts';
import type { Cell, OfficeList, OfficeParts } from './office.ts';
import { choiceFilter, numberFilter } from './search-list.ts';

const Query = Type.Object({
  account: Type.String({ maxLength: 30, default: '' }),
  auction: Type.Optional(Id),
  lot: Type.Optional(Id),
  team: Type.Optional(Id),
  invoice: Type.String({ maxLength: 30, default: '' }),
  month: Type.String({ maxLength: 7, default: '' }),
});

const MAX_SHOWN = 200;

export function booksList({ knex }: OfficeParts): OfficeList<typeof Query> {
  return {
    path: BOOKS,
    operationId: 'officeBooksPage',
    summary: 'The books by account',
    query: Query,
    async read(query) {
      const { account, auction, lot, team, invoice, month } = query;
      const filter: AccountFilter = {
        ...(isAccount(account) ? { account } : {}),
        ...(auction === undefined ? {} : { auction }),
        ...(lot === undefined ? {} : { lot }),
        ...(team === undefined ? {} : { team }),
        ...(invoice.trim() === '' ? {} : { invoice: invoice.trim() }),
        ...(month === '' ? {} : { month }),
      };
      const accounts = await readAccounts(knex, filter);
      const entries = filter.account === undefined ? [] : accounts;
      return {
        section: 'money',
        heading: 'Books',
        tabs: MONEY_TABS,
        filters: [
          choiceFilter('account', 'Account', account, Object.keys(ACCOUNTS)),
          numberFilter('auction', 'Auction id', auction),
          numberFilter('lot', 'Lot id', lot),
          numberFilter('team', 'Team id', team),
          { name: 'invoice', label: 'Invoice', value: invoice, type: 'text' },
          { name: 'month', label: 'Month, such as 2026-11', value: month, type: 'text' },
        ],
        tables: [
          {
            heading: 'Accounts',
            columns: ['Account', 'What it holds', 'Balance'],
            rows: accounts.map(({ account: name, currency, balance }): Cell[] => [
              { href: `${BOOKS}?${keptQuery({ ...query, account: undefined })}account=${name}`, text: name },
              ACCOUNTS[name],
              { cents: balance, currency },
            ]),
            empty: 'Nothing was posted.',
          },
          ...entries.map(({ account: name, currency, postings }) => ({
            heading: `${name}, ${currency.toUpperCase()}: newest postings`,
            columns: ['When', 'Month', 'What', 'Cause', 'Amount', 'Invoice', 'Payment'],
            rows: postings
              .slice(0, MAX_SHOWN)
              .map((entry): Cell[] => [
                { time: entry.posted_at },
                entry.month,
                entry.kind,
                entry.cause,
                { cents: entry.amount, currency },
                entry.invoice_number === null
                  ? entry.statement_number
                  : { href: `${MONEY}/invoices/${entry.invoice_number}`, text: entry.invoice_number },
                entry.payment_id,
              ]),
            empty: 'Nothing was posted.',
          })),
        ],
      };
    },
  };
}
