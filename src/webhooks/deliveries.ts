/**
 * The delivery log of a subscription, and what is put into it by hand: tests and redeliveries. A row that waits for a
 * try has `next_attempt_at`; workers read such rows when a retry job says so, and now and then by themselves.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { fn, raw } from 'objection';
import { isoFromUs } from '../../engine/time.ts';
import { eventBody } from '../events/event-body.ts';
import type { EventKind } from '../events/event-names.ts';
import { JOINED_EVENT, type JoinedEvent, joinEvent, textOfJoined } from '../events/joined-event.ts';
import { Refusal } from '../shared/refusal.ts';
import { holdName } from '../shared/transactions.ts';
import { WebhookDelivery, WebhookSubscription } from './webhook.model.ts';

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
] as const;

export type DeliveryRow = Pick<WebhookDelivery, (typeof SHOWN)[number]>;

/** A subscription's deliveries, newest first. */
export async function listDeliveries(
  knex: Knex,
  subscriptionId: number,
  paging: { readonly page: number; readonly perPage: number },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const { results: rows, total } = await WebhookDelivery.query(knex)
    .where('subscription_id', subscriptionId)
    .select(SHOWN)
    .orderBy('id', 'desc')
    .page(paging.page - 1, paging.perPage);
  return { rows, total };
}

/** What was sent, indented for people, by the delivery's id; an event that is no longer stored is left out. */
export async function readPayloads(knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  // SQL: the event’s data as its own text, which JSON parsing would lose.
  const { rows } = await knex.raw<{ rows: PayloadRow[] }>(
    `SELECT d.id, d.event, d.event_row, d.body, ${JOINED_EVENT}
       FROM webhook_deliveries d ${joinEvent('d.event_row')} WHERE d.id = ANY(?::bigint[])`,
    [[...ids]],
  );
  const shown = new Map<number, string>();
  for (const row of rows) {
    const { id, event, event_row, body } = row;
    const kept = textOfJoined(row, event_row);
    const text = body ?? (kept === null ? null : eventBody(event, kept));
    if (text !== null) shown.set(id, JSON.stringify(JSON.parse(text), null, 2));
  }
  return shown;
}

interface PayloadRow extends JoinedEvent {
  readonly id: number;
  readonly event: EventKind;
  readonly event_row: number | null;
  readonly body: string | null;
}

/** Puts a test event in, to be tried once and at once. */
export async function addTestDelivery(knex: Knex, subscriptionId: number): Promise<DeliveryRow> {
  const key = randomUUID();
  const body = eventBody('webhook.test', {
    created_at: isoFromUs(Date.now() * 1_000),
    data_text: JSON.stringify({ event_key: `test-${key}`, subscription_id: subscriptionId }),
  });
  return addByHand(knex, subscriptionId, {
    origin: 'test',
    event_id: `evt_test_${key}`,
    event: 'webhook.test',
    body,
  });
}

/**
 * Puts the event of an earlier delivery in once more, under the same event id and with tries of its own. Null where
 * the subscription has no such delivery.
 */
export async function addRedelivery(
  knex: Knex,
  subscriptionId: number,
  deliveryId: number,
): Promise<DeliveryRow | null> {
  const before = await WebhookDelivery.query(knex)
    .findById(deliveryId)
    .where('subscription_id', subscriptionId)
    .select('event_id', 'event', 'event_row', 'body', 'origin');
  if (before === undefined) return null;
  return addByHand(knex, subscriptionId, {
    ...before.toJSON(),
    origin: before.origin === 'test' ? 'test' : 'redelivery',
  });
}

type ByHand = Partial<Pick<WebhookDelivery, 'origin' | 'event_id' | 'event' | 'event_row' | 'body'>>;

/** Of a team in a minute, over all its subscriptions. */
const MAX_BY_HAND = 30;
const WINDOW_SECONDS = 60;

/** Throws 429 where the team has requested as many in the last minute as it may. */
function addByHand(knex: Knex, subscriptionId: number, delivery: ByHand): Promise<DeliveryRow> {
  return knex.transaction(async (trx) => {
    const { team_id: teamId } = await WebhookSubscription.query(trx)
      .findById(subscriptionId)
      .select('team_id')
      .throwIfNotFound();
    await holdName(trx, `deliveries of team ${teamId}`);
    const recent = await WebhookDelivery.query(trx)
      .joinRelated('subscription')
      .where('subscription.team_id', teamId)
      .whereNot('origin', 'event')
      .where('webhook_deliveries.created_at', '>', raw("now() - ? * interval '1 second'", WINDOW_SECONDS))
      .resultSize();
    if (recent >= MAX_BY_HAND) {
      const message = `A team can send at most ${MAX_BY_HAND} tests and redeliveries a minute.`;
      throw new Refusal('rate_limited', { message, retryAfterS: WINDOW_SECONDS });
    }
    // Read again: an inserted model holds all that was written, the body too.
    const { id } = await WebhookDelivery.query(trx)
      .insert({
        ...delivery,
        subscription_id: subscriptionId,
        status: 'pending',
        next_attempt_at: fn.now(),
      })
      .returning('id');
    return WebhookDelivery.query(trx).findById(id).select(SHOWN).throwIfNotFound();
  });
}
