/** The books: `books` by account, of everything or of an auction, lot, team, invoice or month, and `books close`. */
import { type Command, InvalidArgumentError } from 'commander';
import { decimalsOf, formatTotal } from '../../../engine/money.ts';
import {
  type AccountBalance,
  type AccountFilter,
  isAccount,
  readAccounts,
} from '../../billing/books/accounts-read.ts';
import { type Books, readBooks } from '../../billing/books/books.ts';
import { closeMonth } from '../../billing/books/months.ts';
import { ACCOUNTS, type Account } from '../../billing/ledger/chart-of-accounts.ts';
import { listSetAside } from '../../billing/payments/money-tries.ts';
import { csvOf } from '../../shared/csv.ts';
import { InputError } from '../../shared/input-error.ts';
import { loadConfig } from '../config/config.ts';
import { readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

interface BooksOptions extends AccountFilter {
  readonly csv?: true;
}

export function addBooksCommand(program: Command): void {
  const books = program
    .command('books')
    .description('the books by account, with the postings behind them; exits 1 if they do not balance')
    .option('--auction <id>', 'of this auction, with its totals and whether they agree', readId)
    .option('--account <name>', `of this account: ${Object.keys(ACCOUNTS).join(', ')}`, readAccount)
    .option('--lot <id>', 'of this lot', readId)
    .option('--invoice <number>', 'of this invoice, such as INV-2026-00001')
    .option('--team <id>', 'of this seller’s team', readId)
    .option('--month <month>', 'posted in this month, such as 2026-11', readMonth)
    .option('--csv', 'print a line for each entry, all of them');
  reporting(books, ({ csv, ...filter }: BooksOptions & { json?: true }) =>
    withServers(loadConfig(), async ({ database: { knex } }) => {
      const { json: _, ...wanted } = filter;
      const accounts = await readAccounts(knex, wanted, csv ? null : undefined);
      const totals = wanted.auction === undefined ? null : await readBooks(knex, wanted.auction);
      const ok = totals?.ok ?? (Object.keys(wanted).length > 0 || isBalanced(accounts));
      const result = { ...(totals ?? {}), ok, accounts, set_aside: await listSetAside(knex) };
      const text = csv ? entriesCsv(accounts) : textOf(totals, accounts, result.set_aside);
      return { result, text, exitCode: ok ? 0 : 1 };
    }),
  );
  const close = books
    .command('close')
    .description('close a month: from then on what is posted counts in the next one')
    .option('--month <month>', 'such as 2026-11');
  reporting(close, (options: { month: string }) =>
    withServers(loadConfig(), async ({ database }) => {
      // The group's own option of that name takes it.
      const month = options.month ?? books.opts<{ month?: string }>().month;
      if (month === undefined) throw new InputError('month: name the month');
      const closed = await closeMonth(database.knex, month);
      return { result: closed, text: `${closed.month} is closed, with ${closed.postings} postings.` };
    }),
  );
}

function readAccount(name: string): Account {
  if (isAccount(name)) return name;
  throw new InvalidArgumentError(`It takes one of ${Object.keys(ACCOUNTS).join(', ')}.`);
}

function readMonth(month: string): string {
  if (/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month)) return month;
  throw new InvalidArgumentError('It takes a month such as 2026-11.');
}

/** All accounts of a currency together come to nothing. */
function isBalanced(accounts: readonly AccountBalance[]): boolean {
  const sums = new Map<string, bigint>();
  for (const { currency, balance } of accounts) sums.set(currency, (sums.get(currency) ?? 0n) + balance);
  return [...sums.values()].every((sum) => sum === 0n);
}

const COLUMNS = [
  'month',
  'posted_at',
  'posting',
  'kind',
  'cause',
  'amount',
  'invoice_number',
  'payment_id',
  'statement_number',
  'auction_id',
  'lot_id',
  'team_id',
] as const;

function entriesCsv(accounts: readonly AccountBalance[]): string {
  const file = csvOf(
    ['account', 'currency', ...COLUMNS],
    accounts.flatMap(({ account, currency, postings }) =>
      postings.map((entry) => [account, currency, ...COLUMNS.map((column) => entry[column])]),
    ),
  );
  // The line break that is printed after it is its last.
  return file.slice(0, -1);
}

function textOf(
  books: Books | null,
  accounts: readonly AccountBalance[],
  setAside: Awaited<ReturnType<typeof listSetAside>>,
): string {
  const lines = accounts.map(
    ({ account, currency, balance }) =>
      `${account.padEnd(20)} ${formatTotal(balance, decimalsOf(currency))} ${currency}  (${ACCOUNTS[account]})`,
  );
  const aside = setAside.map(
    ({ invoice_number, payment_id, reason }) => `set aside: ${invoice_number ?? payment_id}: ${reason}`,
  );
  if (books === null) return [...lines, ...aside].join('\n');
  const amount = (cents: bigint) => formatTotal(cents, decimalsOf(books.currency));
  const totals = Object.entries(books.totals).map(
    ([name, cents]) => `${name.replace(/_cents$/, '').padEnd(20)} ${amount(cents)} ${books.currency}`,
  );
  const wrong = books.differences.map(
    ({ what, expected_cents, found_cents }) =>
      `${what}: ${amount(expected_cents)} expected, ${amount(found_cents)} found`,
  );
  return [...lines, '', ...totals, ...(wrong.length === 0 ? ['The books balance.'] : wrong), ...aside].join(
    '\n',
  );
}
