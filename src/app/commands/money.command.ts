/** What staff decide about money: `settlement approve|pay`, `invoice void|refund`, `lot default|second-chance`, `subscription grant`. */
import type { Command } from 'commander';
import { formatCents } from '../../../engine/money.ts';
import type { Invoice } from '../../billing/invoices/invoice.model.ts';
import { refundByNumber, voidByNumber } from '../../billing/invoices/void-and-refund.ts';
import { defaultLot, offerSecondChance } from '../../billing/sales/fallen-through.ts';
import { approveSettlement, paySettlement, type Settlement } from '../../billing/settlements/settlements.ts';
import { grantSubscription } from '../../billing/subscriptions/subscriptions.ts';
import { loadConfig } from '../config/config.ts';
import { paymentProvider } from '../web/compose-money.ts';
import { groupOf, readId } from './arguments.ts';
import { type OpenServers, withServers } from './command-servers.ts';
import { type Outcome, reporting } from './outcome.ts';

export function addMoneyCommands(program: Command): void {
  addSettlementCommands(program);
  addInvoiceCommands(program);
  addLotCommands(program);
  const grant = groupOf(program, 'subscription', 'teams’ plans')
    .command('grant')
    .description('give a team a plan without an invoice')
    .requiredOption('--team <id>', 'its id', readId)
    .requiredOption('--plan <slug>', 'the plan’s slug');
  reporting(grant, (options: { team: number; plan: string }) =>
    onServers(async ({ database }) => {
      const made = await grantSubscription(database.knex, options.team, options.plan);
      const { id, team_id, status, current_period_end } = made;
      return {
        result: { id, team_id, plan: options.plan, status, current_period_end },
        text: `Team ${team_id} has the plan ${options.plan}.`,
      };
    }),
  );
}

function addSettlementCommands(program: Command): void {
  const group = groupOf(program, 'settlement', 'what sellers get');
  const moves = { approve: approveSettlement, pay: paySettlement };
  const said = {
    approve: 'approve a settlement’s figures',
    pay: 'book the payout, once every buyer has paid',
  };
  for (const name of ['approve', 'pay'] as const) {
    const command = group
      .command(name)
      .description(said[name])
      .requiredOption('--id <id>', 'the settlement’s id', readId);
    reporting(command, (options: { id: number }) =>
      onServers(async ({ database }) => settlementOutcome(await moves[name](database.knex, options.id))),
    );
  }
}

function addInvoiceCommands(program: Command): void {
  const group = groupOf(program, 'invoice', 'what people owe');
  const numbered = (name: string, said: string) =>
    group.command(name).description(said).requiredOption('--number <number>', 'such as INV-2026-00001');
  reporting(numbered('void', 'cancel a debt'), (options: { number: string }) =>
    onServers(async ({ database }) => invoiceOutcome(await voidByNumber(database.knex, options.number))),
  );
  reporting(numbered('refund', 'give back all that was paid'), (options: { number: string }) =>
    onServers(async ({ database, config }) =>
      invoiceOutcome(await refundByNumber(database.knex, paymentProvider(config), options.number)),
    ),
  );
}

function addLotCommands(program: Command): void {
  const group = groupOf(program, 'lot', 'lots that were sold');
  const withLot = (name: string, said: string) =>
    group.command(name).description(said).requiredOption('--lot <id>', 'its id', readId);
  reporting(
    withLot('default', 'the winner has not paid: the invoice is voided'),
    (options: { lot: number }) =>
      onServers(async ({ database }) => {
        const { lotId, userId, invoiceNumber } = await defaultLot(database.knex, options.lot);
        return {
          result: { lot_id: lotId, user_id: userId, invoice_number: invoiceNumber, status: 'voided' },
          text: `Lot ${lotId} is not paid; ${invoiceNumber} is voided.`,
        };
      }),
  );
  reporting(
    withLot('second-chance', 'sell to the underbidder at their ceiling'),
    (options: { lot: number }) =>
      onServers(async ({ database }) => {
        const { lotId, userId, hammerCents, invoice } = await offerSecondChance(database.knex, options.lot);
        const hammer = formatCents(hammerCents);
        return {
          result: {
            lot_id: lotId,
            user_id: userId,
            hammer_price: hammer,
            invoice_number: invoice.invoice_number,
            amount_due: invoice.amount_due_cents / 100,
          },
          text: `Lot ${lotId} goes to user ${userId} at ${hammer}: ${invoice.invoice_number}.`,
        };
      }),
  );
}

function onServers(work: (open: OpenServers) => Promise<Outcome>): Promise<Outcome> {
  return withServers(loadConfig(), work);
}

function settlementOutcome(settlement: Settlement): Outcome {
  const { id, statement_number, auction_id, team_id, status, payout_cents } = settlement;
  const payout = payout_cents === null ? null : payout_cents / 100;
  return {
    result: { id, statement_number, auction_id, team_id, status, payout },
    text: `Settlement ${statement_number} is ${status}.`,
  };
}

function invoiceOutcome(invoice: Invoice): Outcome {
  const { id, invoice_number, kind, status } = invoice;
  return {
    result: {
      id,
      invoice_number,
      kind,
      status,
      amount_due: invoice.amount_due_cents / 100,
      amount_paid: invoice.amount_paid_cents / 100,
    },
    text: `Invoice ${invoice_number} is ${status}.`,
  };
}
