/** The clock's part in money, as jobs that any worker may do and that may be done twice. */
import { type DepositParts, followDeposits } from '../../billing/deposits/deposits.ts';
import { type ReturnParts, returnDeposits } from '../../billing/deposits/return-deposits.ts';
import { markOverdue } from '../../billing/invoices/overdue.ts';
import { returnSurplus } from '../../billing/payments/return-surplus.ts';
import { settleAuctions } from '../../billing/settlements/settlements.ts';
import { billOwners, renewSubscriptions } from '../../billing/subscriptions/renewal.ts';
import { type ResaleParts, sales } from '../../sales/sales.ts';

export interface MoneyJob {
  readonly everyMs: number;
  work(parts: DepositParts & ReturnParts & ResaleParts): Promise<number>;
}

export const MONEY_JOBS: Readonly<Record<string, MoneyJob>> = {
  'settle-auctions': { everyMs: 1_000, work: ({ knex }) => settleAuctions(knex) },
  'apply-deposits': { everyMs: 5_000, work: (parts) => followDeposits(parts) },
  'return-deposits': { everyMs: 2_000, work: (parts) => returnDeposits(parts) },
  'return-surplus': { everyMs: 5_000, work: (parts) => returnSurplus(parts) },
  ...sales.jobs,
  'mark-overdue': { everyMs: 60_000, work: ({ knex }) => markOverdue(knex) },
  'bill-owners': { everyMs: 60_000, work: ({ knex }) => billOwners(knex) },
  'renew-subscriptions': { everyMs: 60_000, work: ({ knex }) => renewSubscriptions(knex) },
};
