/**
 * Sending webhooks as a worker does it: follows the facts, makes first tries through a delivery worker for each
 * subscription, and later ones when they are due. Any number of workers may run it; a kill at any point costs a few
 * repeats and no event.
 */

import pTimeout from 'p-timeout';
import { listenForNotices } from '../../../adapters/postgres/notices.ts';
import { startQueueWorker } from '../../../adapters/queue/queue-worker.ts';
import { WebhookPoster } from '../../../adapters/webhooks/poster.ts';
import { EVENTS_CHANNEL } from '../../events/outbox.ts';
import type { Log } from '../../shared/log.ts';
import { DeliveryWorkers } from '../../webhooks/delivery-workers.ts';
import { DueTries } from '../../webhooks/due-tries.ts';
import { EventFeed } from '../../webhooks/event-feed.ts';
import { OutcomeRecorder } from '../../webhooks/outcomes.ts';
import { openRetryJobs, RETRY_QUEUE, type RetryJob, type RetryJobs } from '../../webhooks/retry-jobs.ts';
import { RetryPlan } from '../../webhooks/retry-plan.ts';
import { passOverMissed, sweepDue, tidyLog } from '../../webhooks/upkeep.ts';
import type { WebhookMetrics } from '../../webhooks/webhook-metrics.ts';
import { readDeliveryTerms, SUBSCRIPTIONS_CHANNEL } from '../../webhooks/webhook-subscriptions.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { queueAddressOf } from '../process/queue-address.ts';

export interface Webhooks {
  close(): Promise<void>;
}

type Parts = Pick<Backends, 'knex' | 'database' | 'addresses' | 'tracing'>;

const SWEEP_MS = 5_000;
const TIDY_MS = 600_000;
const RENEW_MS = 30_000;
const GRACE_MS = 3_000;

/** Starts sending. Never throws: while Postgres or Redis is unavailable, everything waits. */
export async function startWebhooks(
  config: Config,
  backends: Parts,
  metrics: WebhookMetrics,
  log: Log,
): Promise<Webhooks> {
  const { knex, database, tracing } = backends;
  const onError = (err: unknown) => log.warn({ err }, 'sending webhooks failed; retrying');
  const address = queueAddressOf(config, backends.addresses.redisUrl);
  const retryJobs = openRetryJobs(address, (err) => log.debug({ err }, 'webhook retryJobs'));
  const poster = metrics.measured(
    new WebhookPoster({ allowLoopback: config.webhookAllowLoopback }),
    (tried) => log.debug(tried, 'delivery tried'),
  );
  const plan = new RetryPlan(config.webhookRetrySchedule);
  const recorder = new OutcomeRecorder({
    knex,
    plan,
    scheduleRetry: retryJobs.scheduleRetry,
    onWritten: metrics.delivered,
    onError,
  });
  const readTerms = (id: number) => readDeliveryTerms(knex, config.appSecrets, id);
  const shared = { knex, poster, tracing, recorder, plan, readTerms, onError, onFirstTry: metrics.firstTry };
  const feed = new EventFeed({ knex, onNews: (settled) => workers.notify(settled), onError });
  const workers = new DeliveryWorkers({ ...shared, databaseUrl: database.url, settled: () => feed.position });
  const due = new DueTries(shared);
  await feed.start();
  await workers.start();
  const notices = listenForNotices({
    url: database.url,
    channels: [EVENTS_CHANNEL, SUBSCRIPTIONS_CHANNEL],
    onNotice(channel) {
      if (channel !== SUBSCRIPTIONS_CHANNEL) feed.poll();
      if (channel !== EVENTS_CHANNEL) void workers.beat();
    },
    onError: (err) => log.debug({ err }, 'webhook notices'),
  });
  const worker = startQueueWorker<RetryJob | null>(address, RETRY_QUEUE, {
    handlers: {
      due: async ({ data }) => {
        if (data !== null) due.wake(data.subscriptionId);
      },
      sweep: async () => sweepDue(knex, (id) => due.wake(id)),
      tidy: async () => {
        await tidyLog(knex);
        await passOverMissed(knex);
      },
    },
    concurrency: 10,
    onError: (err, { name }) => log.debug({ err, name }, 'webhook retryJobs'),
  });
  const stopSchedules = keepSchedules(retryJobs, log);
  return {
    async close() {
      stopSchedules();
      await worker.close();
      await notices.close();
      await feed.close();
      const ending = [workers.close(), due.close()];
      await pTimeout(Promise.all(ending), { milliseconds: GRACE_MS, fallback: () => [] });
      await poster.close();
      await Promise.all(ending);
      await recorder.close();
      await retryJobs.close();
    },
  };
}

/** Puts the rounds into the queue, and again now and then: a Redis that returned without them must not stop them. */
function keepSchedules({ queue }: RetryJobs, log: Log): () => void {
  const renew = () => {
    const put = async () => {
      await queue.every('sweep', SWEEP_MS, null);
      await queue.every('tidy', TIDY_MS, null);
    };
    put().catch((err: unknown) => log.debug({ err }, 'webhook retryJobs'));
  };
  renew();
  const timer = setInterval(renew, RENEW_MS);
  return () => clearInterval(timer);
}
