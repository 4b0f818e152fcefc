/** The web side of webhooks: the endpoints of subscriptions, of their log, and of the events. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { Log } from '../../shared/log.ts';
import { deliveryEndpoints } from '../../webhooks/deliveries.endpoints.ts';
import { eventEndpoints } from '../../webhooks/events.endpoints.ts';
import { openRetryJobs } from '../../webhooks/retry-jobs.ts';
import { webhookEndpoints } from '../../webhooks/webhooks.endpoints.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { queueAddressOf } from '../process/queue-address.ts';

export interface WebhookSide {
  readonly endpoints: readonly Endpoint[];
  /** Schedules the deliveries of a subscription. */
  readonly scheduleRetry: (subscriptionId: number) => void;
  close(): Promise<void>;
}

export function composeWebhooks(config: Config, { knex, addresses }: Backends, log: Log): WebhookSide {
  const retryJobs = openRetryJobs(queueAddressOf(config, addresses.redisUrl), (err) =>
    log.debug({ err }, 'webhook retryJobs'),
  );
  const { scheduleRetry } = retryJobs;
  const urlRules = { allowLoopback: config.webhookAllowLoopback };
  return {
    endpoints: [
      ...eventEndpoints(knex),
      ...webhookEndpoints({ knex, appSecrets: config.appSecrets, urlRules }),
      ...deliveryEndpoints({ knex, scheduleRetry }),
    ],
    scheduleRetry,
    close: () => retryJobs.close(),
  };
}
