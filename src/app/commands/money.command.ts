/** What staff decide about money: `settlement approve|pay|reopen`, `invoice void|refund`, `subscription grant`. */
import type { Command } from 'commander';
import { ExactNumber } from '../../../adapters/http/exact-json.ts';
import { decimalsOf, formatTotal } from '../../../engine/money.ts';
import { type PayoutAccount, readPayoutAccount } from '../../accounts/teams/payout-account.ts';
import { refundDeposit } from '../../billing/deposits/refund-deposit.ts';
import type { Invoice } from '../../billing/invoices/invoice.model.ts';
import { amountsOf } from '../../billing/invoices/invoice-rows.ts';
import { REFUND_ORDERED, type Refunding } from '../../billing/payments/send-refunds.ts';
import type { Settlement } from '../../billing/settlements/settlement.model.ts';
import {
  approveSettlement,
  paySettlement,
  reopenSettlement,
} from '../../billing/settlements/settlement-decisions.ts';
import { refundByNumber, voidByNumber } from '../../billing/staff/invoice-orders.ts';
import { grantSubscription } from '../../billing/subscriptions/subscriptions.ts';
import { loadConfig } from '../config/config.ts';
import { moneyParts } from '../process/money-parts.ts';
import { groupOf, readId } from './arguments.ts';
import { withBackends, withServers } from './command-servers.ts';
import { type Outcome, reporting } from './outcome.ts';

export function addMoneyCommands(program: Command): void {
  addSettlementCommands(program);
  addInvoiceCommands(program);
  const grant = groupOf(program, 'subscription', 'teams’ plans')
    .command('grant')
    .description('give a team a plan without an invoice')
    .requiredOption('--team <id>', 'its id', readId)
    .requiredOption('--plan <slug>', 'the plan’s slug');
  reporting(grant, (options: { team: number; plan: string }) =>
    withServers(loadConfig(), async ({ database }) => {
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
  const group = groupOf(program, 'settlement', 'what sellers are paid');
  const withId = (name: string, description: string) =>
    group.command(name).description(description).requiredOption('--id <id>', 'the settlement’s id', readId);
  const moves = { approve: approveSettlement, pay: paySettlement };
  const descriptions = {
    approve: 'approve a settlement once no invoice is outstanding',
    pay: 'book the pay-out of an approved settlement',
  };
  for (const name of ['approve', 'pay'] as const) {
    reporting(withId(name, descriptions[name]), (options: { id: number }) =>
      withServers(loadConfig(), async ({ config, database: { knex } }) => {
        const settlement = await moves[name](knex, options.id);
        const account = await readPayoutAccount(knex, config.appSecrets, settlement.team_id);
        return settlementOutcome(settlement, account);
      }),
    );
  }
  const reopen = withId(
    'reopen',
    'recalculate the lines of an unpaid settlement, which must then be approved again',
  ).requiredOption('--reason <text>', 'why');
  reporting(reopen, (options: { id: number; reason: string }) =>
    withServers(loadConfig(), async ({ database }) =>
      settlementOutcome(await reopenSettlement(database.knex, options.id, options.reason)),
    ),
  );
}

function addInvoiceCommands(program: Command): void {
  const group = groupOf(program, 'invoice', 'what users owe');
  const numbered = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .requiredOption('--number <number>', 'such as INV-2026-00001');
  reporting(numbered('void', 'cancel an invoice'), (options: { number: string }) =>
    withServers(loadConfig(), async ({ database, config }) =>
      invoiceOutcome(await voidByNumber({ knex: database.knex, ...moneyParts(config) }, options.number)),
    ),
  );
  reporting(numbered('refund', 'refund everything that was paid'), (options: { number: string }) =>
    withBackends(loadConfig(), async (backends, { config }) => {
      const parts = { ...backends, ...moneyParts(config) };
      const deposits = (deposit: Invoice) => refundDeposit(parts, deposit);
      const { invoice, refund } = await refundByNumber({ ...parts, refundDeposit: deposits }, options.number);
      return invoiceOutcome(invoice, refund);
    }),
  );
}

/** `account`: where the team is paid out to, for the person who pays. */
function settlementOutcome(settlement: Settlement, account: PayoutAccount | null = null): Outcome {
  const { id, statement_number, auction_id, team_id, status, payout_cents } = settlement;
  const payout =
    payout_cents === null
      ? null
      : new ExactNumber(formatTotal(BigInt(payout_cents), decimalsOf(settlement.currency)));
  const { holder, account: number, bankCode: bank_code } = account ?? {};
  const payTo = account === null ? {} : { pay_to: { holder, account: number, bank_code } };
  const to =
    account === null ? '' : ` Its team is paid at ${holder}, ${number}${bank_code ? `, ${bank_code}` : ''}.`;
  return {
    result: { id, statement_number, auction_id, team_id, status, payout, ...payTo },
    text: `Settlement ${statement_number} is ${status}.${to}`,
  };
}

function invoiceOutcome(invoice: Invoice, refund?: Refunding): Outcome {
  const { id, invoice_number, kind, status } = invoice;
  return {
    result: {
      id,
      invoice_number,
      kind,
      status,
      ...amountsOf(invoice),
      ...(refund === undefined ? {} : { refund }),
    },
    text: `Invoice ${invoice_number} is ${status}.${refund === 'ordered' ? ` ${REFUND_ORDERED}` : ''}`,
  };
}
