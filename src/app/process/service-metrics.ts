/**
 * The service's own figures, the same names in every web and worker process; what a process has no part in stays at
 * nothing. `docs/operations.md` says what each means, and a test holds the two against each other.
 */
import { Gauge, type Registry } from 'prom-client';
import { countingSignIns, type SignInResult } from '../../accounts/credentials/sign-in.ts';
import { type MailResult, mailMetrics } from '../../accounts/mail/mail-metrics.ts';
import { bidMetrics } from '../../bidding/bids/bid-metrics.ts';
import { closingMetrics } from '../../bidding/closing/closing-metrics.ts';
import { readLag } from '../../bidding/projection/lag.ts';
import { projectionMetrics } from '../../bidding/projection/projection-metrics.ts';
import { paymentMetrics } from '../../billing/staff/payment-metrics.ts';
import { type WebhookMetrics, webhookMetrics } from '../../webhooks/webhook-metrics.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from './backends.ts';
import { processMetrics } from './loop-lag.ts';
import { queueAddressOf } from './queue-address.ts';
import { queueMetrics } from './queue-metrics.ts';

/** Where each part of a process registers its metrics. */
export interface ServiceMetrics {
  readonly projected: (entries: number) => void;
  readonly closed: (seconds: number) => void;
  readonly webhooks: WebhookMetrics;
  readonly mail: (result: MailResult) => void;
  readonly signIn: (result: SignInResult) => void;
  /** Shows how many streams are open here. */
  countStreams(count: () => number): void;
  close(): Promise<void>;
}

export function serviceMetrics(registry: Registry, config: Config, backends: Backends): ServiceMetrics {
  const { knex, redis, engine, commits } = backends;
  processMetrics(registry);
  commits.showIn(registry);
  bidMetrics(registry, engine);
  paymentMetrics(registry, knex);
  const closeQueues = queueMetrics(registry, queueAddressOf(config, backends.addresses.redisUrl));
  new Gauge({
    name: 'rostrum_journal_in_order',
    help: '1 if Redis holds the journal that Postgres was projected from, complete; otherwise 0.',
    registers: [registry],
    aggregator: 'min',
    collect() {
      this.set(backends.epoch.trouble === null ? 1 : 0);
    },
  });
  let streams = () => 0;
  new Gauge({
    name: 'rostrum_streams',
    help: 'Live streams that are open in this process: of lots, of auctions and of accounts.',
    registers: [registry],
    collect() {
      this.set(streams());
    },
  });
  return {
    projected: projectionMetrics(registry, { knex, readLag: () => readLag(knex, redis) }),
    closed: closingMetrics(registry),
    webhooks: webhookMetrics(registry),
    mail: mailMetrics(registry),
    signIn: countingSignIns(registry),
    countStreams(count) {
      streams = count;
    },
    close: closeQueues,
  };
}
