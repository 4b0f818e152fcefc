/**
 * The outcome of a payment event, and what applying one needs: the terms that the rules of payments, refunds and
 * subscriptions share.
 */
import type { Knex } from 'knex';
import type { InvoiceFollowUp } from '../invoices/follow-up.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import type { DisputesBorneBy } from '../providers/payment-settings.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import type { SubscriptionEvent } from './payment-event.ts';

export type RejectionCode =
  | 'wrong_currency'
  | 'unknown_invoice'
  | 'not_open'
  | 'unknown_team'
  | 'unknown_plan';

/** `unallocated`: the money came, but its invoice is not open; staff allocate it to another or send it back. */
export const EVENT_STATUSES = [
  'applied',
  'duplicate',
  'ignored',
  'pending',
  'rejected',
  'unallocated',
] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export interface EventOutcome {
  readonly status: EventStatus;
  readonly code?: RejectionCode;
  /** The invoices that it changed, as it left them. */
  readonly invoices?: readonly Invoice[];
}

export interface PaymentParts {
  readonly knex: Knex;
  /** The name of the provider that payments are booked under. */
  readonly provider: string;
  readonly followUps: readonly InvoiceFollowUp[];
  /** An amount of the provider's events in the currency's smallest unit. */
  readonly amountFrom: PaymentProvider['amountFrom'];
  /** Who loses what a payer wins back of a sale. */
  readonly disputesBorneBy: DisputesBorneBy;
  readonly applySubscription: (trx: Knex.Transaction, event: SubscriptionEvent) => Promise<EventOutcome>;
}
