/**
 * Applies an authentic payment event in one transaction: once for each event id, however often and however many at
 * once it comes. What it leads to (an invoice paid, a subscription active) and the facts for subscribers stand in the
 * same commit.
 */
import type { Knex } from 'knex';
import { appendEvents } from '../../events/outbox.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { applyFailure, applyPayment } from './apply-payment.ts';
import { applyRefund } from './apply-refund.ts';
import type { EventOutcome, PaymentParts } from './event-outcome.ts';
import type { InboundEvent } from './payment-event.ts';

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
      return applyRefund(parts.followUps, trx, event);
    case 'subscription':
      return parts.applySubscription(trx, event);
  }
}
