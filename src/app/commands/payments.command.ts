/** Money that no invoice took, and whether the books meet: `payment list|allocate|refund`, `books`. */
import type { Command } from 'commander';
import { formatTotal } from '../../../engine/money.ts';
import { type Books, readBooks } from '../../billing/books/books.ts';
import {
  allocatePayment,
  listPayments,
  presentPayment,
  refundUnallocated,
} from '../../billing/staff/payment-orders.ts';
import { loadConfig } from '../config/config.ts';
import { moneyParts } from '../process/money-parts.ts';
import { groupOf, readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

const MAX_LISTED = 1_000;

export function addPaymentCommands(program: Command): void {
  const group = groupOf(program, 'payment', 'payments received');
  addList(group);
  const withId = (name: string, said: string) =>
    group
      .command(name)
      .description(said)
      .requiredOption('--id <payment>', 'our id, or the provider’s id of the payment');
  const allocate = withId('allocate', 'allocate an unallocated payment to an open invoice').requiredOption(
    '--invoice <number>',
    'such as INV-2026-00001',
  );
  reporting(allocate, (options: { id: string; invoice: string }) =>
    withServers(loadConfig(), async ({ database, config }) => {
      const parts = { knex: database.knex, ...moneyParts(config) };
      const { payment, invoice } = await allocatePayment(parts, options.id, options.invoice);
      return {
        result: { ...presentPayment(payment), invoice_status: invoice.status },
        text: `Payment ${payment.id} is allocated to ${invoice.invoice_number}, which is now ${invoice.status}.`,
      };
    }),
  );
  reporting(withId('refund', 'refund an unallocated payment'), (options: { id: string }) =>
    withServers(loadConfig(), async ({ database, config }) => {
      const parts = { knex: database.knex, ...moneyParts(config) };
      const payment = await refundUnallocated(parts, options.id);
      return { result: presentPayment(payment), text: `Payment ${payment.id} is refunded.` };
    }),
  );
  addBooks(program);
}

function addList(group: Command): void {
  const list = group
    .command('list')
    .description(`payments, newest first, at most ${MAX_LISTED}`)
    .option('--unallocated', 'only those without an invoice');
  reporting(list, (options: { unallocated?: true }) =>
    withServers(loadConfig(), async ({ database }) => {
      const filter = options.unallocated ? { status: 'unallocated' as const } : {};
      const { rows, total } = await listPayments(database.knex, { ...filter, page: 1, perPage: MAX_LISTED });
      const payments = rows.map(presentPayment);
      const lines = payments.map(
        (row) =>
          `${row.id}  ${row.payment_id}  ${row.amount} ${row.currency}  ${row.status}  ${row.invoice_number ?? '-'}`,
      );
      return { result: { payments, total }, text: [...lines, `${total} in all.`].join('\n') };
    }),
  );
}

function addBooks(program: Command): void {
  const books = program
    .command('books')
    .description('the books of an auction; exits 1 if they do not balance')
    .requiredOption('--auction <id>', 'the auction', readId);
  reporting(books, (options: { auction: number }) =>
    withServers(loadConfig(), async ({ database }) => {
      const result = await readBooks(database.knex, options.auction);
      return { result, text: textOf(result), exitCode: result.ok ? 0 : 1 };
    }),
  );
}

function textOf({ currency, totals, differences }: Books): string {
  const lines = Object.entries(totals).map(
    ([name, cents]) => `${name.replace(/_cents$/, '').padEnd(20)} ${formatTotal(cents)} ${currency}`,
  );
  const wrong = differences.map(
    ({ what, expected_cents, found_cents }) =>
      `${what}: ${formatTotal(expected_cents)} expected, ${formatTotal(found_cents)} found`,
  );
  return [...lines, ...(wrong.length === 0 ? ['The books balance.'] : wrong)].join('\n');
}
