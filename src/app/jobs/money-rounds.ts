/** The clock's part in money, as rounds that any worker may make and that may be made twice. */
import type { Knex } from 'knex';
import { applyPaidDeposits, type DepositParts } from '../../billing/deposits/deposits.ts';
import { markOverdue } from '../../billing/invoices/overdue.ts';
import { settleAuctions } from '../../billing/settlements/settlements.ts';
import { renewSubscriptions } from '../../billing/subscriptions/renewal.ts';

export interface MoneyRound {
  readonly everyMs: number;
  work(parts: DepositParts & { readonly knex: Knex }): Promise<number>;
}

export const MONEY_ROUNDS: Readonly<Record<string, MoneyRound>> = {
  'settle-auctions': { everyMs: 1_000, work: ({ knex }) => settleAuctions(knex) },
  'apply-deposits': { everyMs: 5_000, work: (parts) => applyPaidDeposits(parts) },
  'mark-overdue': { everyMs: 60_000, work: ({ knex }) => markOverdue(knex) },
  'renew-subscriptions': { everyMs: 60_000, work: ({ knex }) => renewSubscriptions(knex) },
};
