/**
 * Applies an authentic payment event in one transaction: once for each event id, however often and however many at once it comes.
 * What it leads to (an invoice paid, a subscription active) and the facts for subscribers stand in the same commit.
 */
import type { Knex } from 'knex';
import { appendEvents, type OutboxEvent } from '../events/outbox.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { inTransaction } from '../transactions.ts';
import { applyFailure, applyPayment } from './apply-payment.ts';
import { applyRefund } from './apply-refund.ts';
import type { InboundEvent, SubscriptionEvent } from './payment-event.ts';

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

/** Applies the event, or says why it changes nothing. Throws only what Postgres throws; nothing stands then. */
export async function applyEvent(parts: PaymentParts, event: InboundEvent): Promise<EventOutcome> {
  if (event.kind === 'other') return { status: 'ignored' };
  return inTransaction(parts.knex, async (trx) => {
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `INSERT INTO payment_events (event_id, type, status, body) VALUES (?, ?, 'applied', ?)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [event.eventId, event.type, JSON.stringify(event.body)],
    );
    if (rows.length === 0) return { status: 'duplicate' };
    const outcome = await applyKind(parts, trx, event);
    if (outcome.status !== 'applied') {
      await trx('payment_events')
        .where('event_id', event.eventId)
        .update({ status: outcome.status, code: outcome.code ?? null });
    }
    await appendEvents(trx, outcome.facts ?? []);
    return outcome;
  });
}

async function applyKind(
  parts: PaymentParts,
  trx: Knex.Transaction,
  event: Exclude<InboundEvent, { kind: 'other' }>,
): Promise<EventOutcome> {
  switch (event.kind) {
    case 'paid':
      return applyPayment(parts, trx, event);
    case 'failed':
      return applyFailure(parts, trx, event);
    case 'refunded':
      return applyRefund(trx, event);
    case 'subscription':
      return parts.applySubscription(trx, event);
  }
}
