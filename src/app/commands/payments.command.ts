/** Money that no invoice took, and what was set aside: `payment list|allocate|refund`, `invoice retry`. */
import type { Command } from 'commander';
import type { Knex } from 'knex';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { tryAgain } from '../../billing/payments/money-tries.ts';
import { REFUND_ORDERED } from '../../billing/payments/send-refunds.ts';
import { markSent, refundsToSend } from '../../billing/payments/sent-refunds.ts';
import { searchPayments } from '../../billing/staff/money-search.ts';
import { allocatePayment, presentPayment, refundUnallocated } from '../../billing/staff/payment-orders.ts';
import { recordTransfer, type Transfer } from '../../billing/staff/record-transfer.ts';
import { readModelPage } from '../../shared/paging/read-page.ts';
import { loadConfig } from '../config/config.ts';
import { moneyParts } from '../process/money-parts.ts';
import { groupOf } from './arguments.ts';
import { addBooksCommand } from './books.command.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

const MAX_LISTED = 1_000;

export function addPaymentCommands(program: Command): void {
  const group = groupOf(program, 'payment', 'payments received');
  addList(group);
  const withId = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .requiredOption('--id <payment>', 'our id, or the provider’s id of the payment');
  const allocate = withId('allocate', 'allocate an unallocated payment to an open invoice').requiredOption(
    '--invoice <number>',
    'such as INV-2026-00001',
  );
  allocate.option('--other-payer', 'the invoice is another person’s than the one that it was paid for');
  reporting(allocate, (options: { id: string; invoice: string; otherPayer?: true }) =>
    withServers(loadConfig(), async ({ database, config }) => {
      const parts = { knex: database.knex, ...moneyParts(config) };
      const terms = { otherPayer: options.otherPayer === true };
      const { payment, invoice, payer } = await allocatePayment(parts, options.id, options.invoice, terms);
      return {
        result: { ...presentPayment(payment), invoice_status: invoice.status, payer },
        text: `Payment ${payment.id} of ${payer} is allocated to ${invoice.invoice_number}, which is now ${invoice.status}.`,
      };
    }),
  );
  reporting(withId('refund', 'refund an unallocated payment'), (options: { id: string }) =>
    withServers(loadConfig(), async ({ database, config }) => {
      const parts = { knex: database.knex, ...moneyParts(config) };
      const { payment, refund } = await refundUnallocated(parts, options.id);
      const text = refund === 'ordered' ? REFUND_ORDERED : `Payment ${payment.id} is refunded.`;
      return { result: { ...presentPayment(payment), refund }, text };
    }),
  );
  addRecord(group);
  reporting(withId('sent', 'what was to go back of a bank transfer was sent'), ({ id }: { id: string }) =>
    withServers(loadConfig(), async ({ database }) => {
      const { payment, cents } = await markSent(database.knex, id);
      const amount = formatCents(cents, decimalsOf(payment.currency));
      return {
        result: { ...presentPayment(payment), amount_sent: amount },
        text: `${amount} ${payment.currency} of transfer ${payment.payment_id} were sent back.`,
      };
    }),
  );
  const again = groupOf(program, 'invoice', 'what users owe')
    .command('retry')
    .description('try again what was set aside after too many tries')
    .requiredOption('--number <number>', 'such as INV-2026-00001');
  reporting(again, ({ number }: { number: string }) =>
    withServers(loadConfig(), async ({ database }) => {
      await tryAgain(database.knex, number);
      return { result: { invoice_number: number }, text: `${number} will be tried again.` };
    }),
  );
  addBooksCommand(program);
}

function addRecord(group: Command): void {
  const record = group
    .command('record')
    .description('book a bank transfer: on what its reference is for, otherwise unallocated')
    .requiredOption('--reference <reference>', 'what the payer wrote, such as RF34I000123')
    .requiredOption('--amount <amount>', 'such as 123.45')
    .requiredOption('--currency <currency>', 'such as usd')
    .requiredOption('--id <id>', 'the bank’s own name of it: each is booked once');
  reporting(record, (transfer: Transfer) =>
    withServers(loadConfig(), async ({ database, config }) => {
      const parts = { knex: database.knex, ...moneyParts(config) };
      const { payment, invoices, outcome } = await recordTransfer(parts, transfer);
      const paid = invoices.map(({ invoice_number, status }) => ({ invoice_number, status }));
      const on = paid.map((one) => `${one.invoice_number}, which is now ${one.status}`).join('; ');
      return {
        result: { ...presentPayment(payment), outcome, invoices: paid },
        text:
          outcome === 'duplicate'
            ? `Transfer ${transfer.id} was booked before.`
            : `Transfer ${transfer.id} is ${paid.length === 0 ? 'unallocated' : `on ${on}`}.`,
      };
    }),
  );
}

function addList(group: Command): void {
  const list = group
    .command('list')
    .description(`payments, newest first, at most ${MAX_LISTED}`)
    .option('--unallocated', 'only those without an invoice')
    .option('--to-send', 'only bank transfers of which something waits for being sent back');
  reporting(list, (options: { unallocated?: true; toSend?: true }) =>
    withServers(loadConfig(), async ({ database }) => {
      if (options.toSend) return listToSend(database.knex);
      const found = searchPayments(database.knex, options.unallocated ? { status: 'unallocated' } : {});
      const newest = [{ column: 'id', order: 'desc' as const }];
      const { rows, paging } = await readModelPage(found, newest, { page: 1, per_page: MAX_LISTED });
      const { total } = paging;
      const payments = rows.map(presentPayment);
      const lines = payments.map(
        (row) =>
          `${row.id}  ${row.payment_id}  ${row.amount} ${row.currency}  ${row.status}  ${row.invoice_number ?? '-'}`,
      );
      return { result: { payments, total }, text: [...lines, `${total} in all.`].join('\n') };
    }),
  );
}

async function listToSend(knex: Knex) {
  const { rows, total } = await refundsToSend(knex, MAX_LISTED);
  const payments = rows.map(({ payment, cents }) => ({
    ...presentPayment(payment),
    amount_to_send: formatCents(cents, decimalsOf(payment.currency)),
  }));
  const lines = payments.map(
    (row) =>
      `${row.id}  ${row.payment_id}  ${row.amount_to_send} ${row.currency}  ${row.invoice_number ?? '-'}`,
  );
  return { result: { payments, total }, text: [...lines, `${total} in all.`].join('\n') };
}
