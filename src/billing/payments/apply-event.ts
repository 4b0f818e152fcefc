/**
 * Applies an authentic payment event in one transaction: once for each event id, however often and however many at once
 * it comes. What it leads to (an invoice paid, a subscription active) and the facts for subscribers are in the same
 * commit.
 */
import type { Knex } from 'knex';
import { inTransaction } from '../../shared/transactions.ts';
import { PaymentEventRow } from '../invoices/payment.model.ts';
import { applyBack } from './apply-back.ts';
import { applyFailure, applyPayment } from './apply-payment.ts';
import type { EventOutcome, PaymentParts } from './event-outcome.ts';
import type { InboundEvent } from './payment-event.ts';

/** Applies the event, or says why it changes nothing. Throws only what Postgres throws; nothing is committed then. */
export async function applyEvent(parts: PaymentParts, event: InboundEvent): Promise<EventOutcome> {
  if (event.kind === 'other') return { status: 'ignored' };
  return inTransaction(parts.knex, async (trx) => {
    // As Knex has it: Objection would answer with the row whether or not it was there before.
    const fresh = await PaymentEventRow.query(trx)
      .insert({ event_id: event.eventId, type: event.type, status: 'applied', body: event.body })
      .onConflict()
      .ignore()
      .returning('event_id')
      .toKnexQuery();
    if (fresh.length === 0) return { status: 'duplicate' };
    const outcome = await applyKind(parts, trx, event);
    if (outcome.status !== 'applied') {
      await PaymentEventRow.query(trx)
        .findById(event.eventId)
        .patch({ status: outcome.status, code: outcome.code ?? null });
    }
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
    case 'disputed':
      return applyBack(parts, trx, event);
    case 'subscription':
      return parts.applySubscription(trx, event);
  }
}
