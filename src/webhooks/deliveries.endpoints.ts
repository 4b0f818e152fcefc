/** The delivery log of a webhook subscription, and what is delivered by hand: a test, and an event once more. */
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { listOf, success } from '../../adapters/http/envelope.ts';
import { notFound } from '../shared/refusal.ts';
import { addRedelivery, addTestDelivery, listDeliveries } from './deliveries.ts';
import { FOR_SELLERS, SUBSCRIPTIONS_PATH, subscriptionOf } from './webhooks.endpoints.ts';
import {
  Delivery,
  DeliveryParams,
  many,
  one,
  PageQuery,
  presentDelivery,
  SubscriptionParams,
} from './webhooks.schema.ts';

export interface DeliveryParts {
  readonly knex: Knex;
  /** Queues a retry job for a subscription whose deliveries are due. */
  readonly scheduleRetry: (subscriptionId: number) => void;
}

const ONE_PATH = `${SUBSCRIPTIONS_PATH}/{id}`;

export function deliveryEndpoints(parts: DeliveryParts): Endpoint[] {
  return [log(parts), test(parts), redeliver(parts)];
}

function log({ knex }: DeliveryParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'GET',
    path: `${ONE_PATH}/deliveries`,
    operationId: 'listWebhookDeliveries',
    summary: 'The delivery log, newest first',
    params: SubscriptionParams,
    query: PageQuery,
    responses: { 200: { description: 'A page of deliveries.', schema: many(Delivery) } },
    async handle(request) {
      const { id } = await subscriptionOf(knex, request);
      const { page = 1, per_page: perPage = 15 } = request.query;
      const { rows, total } = await listDeliveries(knex, id, { page, perPage });
      return listOf(rows.map(presentDelivery), { page, perPage, total });
    },
  });
}

function test({ knex, scheduleRetry }: DeliveryParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'POST',
    path: `${ONE_PATH}/test`,
    operationId: 'testWebhookSubscription',
    summary: 'Send a `webhook.test` event',
    description: 'It is sent once, whether or not the subscription is active; the log has the result.',
    params: SubscriptionParams,
    responses: { 202: { description: 'It is queued.', schema: one(Delivery) } },
    async handle(request) {
      const { id } = await subscriptionOf(knex, request);
      const row = await addTestDelivery(knex, id);
      scheduleRetry(id);
      return success(presentDelivery(row), { status: 202, message: 'The test event is queued.' });
    },
  });
}

function redeliver({ knex, scheduleRetry }: DeliveryParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'POST',
    path: `${ONE_PATH}/deliveries/{delivery}/redeliver`,
    operationId: 'redeliverWebhook',
    summary: 'Deliver an event again',
    description: 'With the same event id; it is a new entry in the log, with its own attempts.',
    params: DeliveryParams,
    responses: { 202: { description: 'It is queued.', schema: one(Delivery) } },
    async handle(request) {
      const { id } = await subscriptionOf(knex, request);
      const row = await addRedelivery(knex, id, request.params.delivery);
      if (row === null) throw notFound('There is no such delivery.');
      scheduleRetry(id);
      return success(presentDelivery(row), { status: 202, message: 'The event is queued.' });
    },
  });
}
