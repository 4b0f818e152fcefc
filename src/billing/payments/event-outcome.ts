/** What becomes of a payment event, and what applying one needs: the terms that the rules of payments, refunds and subscriptions share. */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import type { SubscriptionEvent } from './payment-event.ts';

export type RejectionCode =
  | 'wrong_currency'
  | 'unknown_invoice'
  | 'not_open'
  | 'unknown_team'
  | 'unknown_plan';

export type EventStatus = 'applied' | 'duplicate' | 'ignored' | 'pending' | 'rejected';

export interface EventOutcome {
  readonly status: EventStatus;
  readonly code?: RejectionCode;
  /** The invoice as the event left it, where it changed one. */
  readonly invoice?: Invoice;
  /** Facts to append with it. */
  readonly facts?: readonly OutboxEvent[];
}

/** What else follows, in the same transaction, when an invoice is paid or a payment for it fails. Returns more facts. */
export type InvoiceFollowUp = (
  trx: Knex.Transaction,
  invoice: Invoice,
  what: 'paid' | 'failed',
) => Promise<readonly OutboxEvent[]>;

export interface PaymentParts {
  readonly knex: Knex;
  /** The name of the provider that payments are booked under. */
  readonly provider: string;
  readonly followUps: readonly InvoiceFollowUp[];
  readonly applySubscription: (trx: Knex.Transaction, event: SubscriptionEvent) => Promise<EventOutcome>;
}
