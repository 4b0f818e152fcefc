/**
 * The delivery log of a subscription, and what is put into it by hand: tests and redeliveries. A row that waits for a try has
 * `next_attempt_at`; workers look for such rows when they are reminded, and now and then by themselves.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { isoFromUs } from '../../engine/time.ts';
import { eventBody } from '../events/event-body.ts';

export interface DeliveryRow {
  readonly id: number;
  readonly event_id: string;
  readonly event: string;
  readonly attempt: number;
  readonly status: 'pending' | 'success' | 'failed' | 'exhausted';
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

const SHOWN = [
  'id',
  'event_id',
  'event',
  'attempt',
  'status',
  'response_status',
  'response_body',
  'error',
  'duration_ms',
  'next_attempt_at',
  'created_at',
];

/** A subscription's deliveries, newest first. */
export async function listDeliveries(
  knex: Knex,
  subscriptionId: number,
  paging: { readonly page: number; readonly perPage: number },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const [counted] = await knex('webhook_deliveries').where('subscription_id', subscriptionId).count('* as n');
  const rows: DeliveryRow[] = await knex('webhook_deliveries')
    .where('subscription_id', subscriptionId)
    .orderBy('id', 'desc')
    .limit(paging.perPage)
    .offset((paging.page - 1) * paging.perPage)
    .select(SHOWN);
  return { rows, total: Number(counted?.['n'] ?? 0) };
}

/** Puts a test event in, to be tried once and at once. */
export async function addTestDelivery(knex: Knex, subscriptionId: number): Promise<DeliveryRow> {
  const key = randomUUID();
  const body = eventBody('webhook.test', {
    created_at: isoFromUs(Date.now() * 1_000),
    data_text: JSON.stringify({ event_key: `test-${key}`, subscription_id: subscriptionId }),
  });
  const [row]: DeliveryRow[] = await knex('webhook_deliveries')
    .insert({
      subscription_id: subscriptionId,
      origin: 'test',
      event_id: `evt_test_${key}`,
      event: 'webhook.test',
      body,
      status: 'pending',
      next_attempt_at: knex.fn.now(),
    })
    .returning(SHOWN);
  return row!;
}

/**
 * Puts the event of an earlier delivery in once more, under the same event id and with tries of its own. Null where the subscription
 * has no such delivery.
 */
export async function addRedelivery(
  knex: Knex,
  subscriptionId: number,
  deliveryId: number,
): Promise<DeliveryRow | null> {
  const before = await knex('webhook_deliveries')
    .where({ id: deliveryId, subscription_id: subscriptionId })
    .first('event_id', 'event', 'event_row', 'body', 'origin');
  if (before === undefined) return null;
  const [row]: DeliveryRow[] = await knex('webhook_deliveries')
    .insert({
      ...before,
      subscription_id: subscriptionId,
      origin: before.origin === 'test' ? 'test' : 'redelivery',
      status: 'pending',
      next_attempt_at: knex.fn.now(),
    })
    .returning(SHOWN);
  return row!;
}
