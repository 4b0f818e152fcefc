/**
 * The delivery log of a subscription, and what is put into it by hand: tests and redeliveries. A row that waits for a
 * try has `next_attempt_at`; workers look for such rows when a retry job says so, and now and then by themselves.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { firstOf } from '../../engine/first-of.ts';
import { isoFromUs } from '../../engine/time.ts';
import { eventBody } from '../events/event-body.ts';
import type { EventKind } from '../events/event-names.ts';
import { JOINED_EVENT, type JoinedEvent, joinEvent, textOfJoined } from '../events/joined-event.ts';
import { Refusal } from '../shared/refusal.ts';
import { holdName } from '../shared/transactions.ts';

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

/** What was sent, indented for people, by the delivery's id; an event that is not kept any more is left out. */
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
  const before = await knex('webhook_deliveries')
    .where({ id: deliveryId, subscription_id: subscriptionId })
    .first('event_id', 'event', 'event_row', 'body', 'origin');
  if (before === undefined) return null;
  return addByHand(knex, subscriptionId, {
    ...before,
    origin: before.origin === 'test' ? 'test' : 'redelivery',
  });
}

/** Of a team in a minute, over all its subscriptions. */
const MAX_BY_HAND = 30;
const WINDOW_SECONDS = 60;

/** Throws 429 where the team has asked for as many in the last minute as it may. */
function addByHand(knex: Knex, subscriptionId: number, delivery: object): Promise<DeliveryRow> {
  return knex.transaction(async (trx) => {
    const { team_id: teamId } = await trx('webhook_subscriptions')
      .where('id', subscriptionId)
      .first('team_id');
    await holdName(trx, `deliveries of team ${teamId}`);
    // SQL: a count over the clock of the database.
    const { rows } = await trx.raw<{ rows: { n: number }[] }>(
      `SELECT count(*) AS n FROM webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id
        WHERE s.team_id = ? AND d.origin <> 'event' AND d.created_at > now() - ? * interval '1 second'`,
      [teamId, WINDOW_SECONDS],
    );
    if (firstOf(rows).n >= MAX_BY_HAND) {
      const message = `A team sends at most ${MAX_BY_HAND} tests and redeliveries a minute.`;
      throw new Refusal('rate_limited', { message, retryAfterS: WINDOW_SECONDS });
    }
    const made: DeliveryRow[] = await trx('webhook_deliveries')
      .insert({
        ...delivery,
        subscription_id: subscriptionId,
        status: 'pending',
        next_attempt_at: trx.fn.now(),
      })
      .returning(SHOWN);
    return firstOf(made);
  });
}
