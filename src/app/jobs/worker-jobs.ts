/** The worker's jobs, each started here and ended in the opposite order. */
import type { Registry } from 'prom-client';
import { projectedBidsLog } from '../../bidding/bids/follow-bids.ts';
import { startSweep } from '../../bidding/closing/sweep.ts';
import { archiveClosedLots } from '../../bidding/projection/archiving.ts';
import { dropOldIdempotencyRecords } from '../../bidding/projection/idempotency-records.ts';
import { startProjection } from '../../bidding/projection/projection.ts';
import { Followers } from '../../bidding/records/followers.ts';
import { invoiceClosedLots } from '../../billing/invoices/winner-invoices.ts';
import type { Log } from '../../shared/log.ts';
import { REDIS_SCRIPTS } from '../../shared/project-root.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { queueAddressOf } from '../process/queue-address.ts';
import { type ServiceMetrics, serviceMetrics } from '../process/service-metrics.ts';
import { shareFigures } from '../process/shared-figures.ts';
import { Workload } from '../process/young-generation.ts';
import { keepIdsApart } from '../test-service/ids-apart.ts';
import { keepTestSale } from '../test-service/test-sale.ts';
import { startMediaJobs } from './media-jobs.ts';
import { startPaperJobs } from './paper-jobs.ts';
import { RepeatedJob } from './repeated-job.ts';
import { startScheduledJobs } from './scheduled-jobs.ts';
import { startBidGroups } from './start-bid-groups.ts';
import { startMail } from './start-mail.ts';
import { startNotifications } from './start-notifications.ts';
import { startWebhooks } from './start-webhooks.ts';

export interface RunningJobs {
  close(): Promise<void>;
}

const FOLLOW_EVERY_MS = 2_000;
const DROP_EVERY_MS = 600_000;

/** Starts everything that a worker does. */
export async function startWorkerJobs(
  config: Config,
  backends: Backends,
  registry: Registry,
  log: Log,
): Promise<RunningJobs> {
  const workload = new Workload();
  const metrics = countingWork(serviceMetrics(registry, config, backends), workload);
  const stopSharing = await shareFigures(backends, registry, 'worker');
  const onWritten = projectedBidsLog(log);
  const projection = await startProjection({
    ...backends,
    ...(onWritten === undefined ? {} : { onWritten }),
    scripts: REDIS_SCRIPTS,
    onLotClosed: [invoiceClosedLots],
    confirm: (shard) => backends.keptJournal.confirm(shard),
    onProjected: metrics.projected,
    onError: (err, shard) => log.warn({ err, shard }, 'the projection failed; retrying'),
    onFailure: (failure) =>
      log.error({ failure }, 'Postgres refused an entry of the journal; it is set aside'),
  });
  const sweep = await startSweep({ ...backends, onClosed: metrics.closed, log });
  const dropping = new RepeatedJob('dropping closed lots', DROP_EVERY_MS, log, () =>
    archiveClosedLots(backends),
  );
  const forgetting = new RepeatedJob('dropping old idempotency records', DROP_EVERY_MS, log, () =>
    dropOldIdempotencyRecords(backends.knex),
  );
  const followers = new Followers(backends);
  const following = new RepeatedJob('following auctions', FOLLOW_EVERY_MS, log, () =>
    followers.followMoved(),
  );
  const testSale = config.testService.kind === 'itself' ? await startTestSale(backends, log) : null;
  const groups = startBidGroups(config, backends, log);
  const address = queueAddressOf(config, backends.addresses.redisUrl);
  const scheduledJobs = startScheduledJobs(config, address, backends, log);
  const media = await startMediaJobs(config, address, backends, log);
  const papers = await startPaperJobs(config, address, backends, log);
  const mail = startMail(config, backends, metrics.mail, log);
  const notifications = startNotifications(config, backends, log);
  const webhooks = await startWebhooks(config, backends, metrics.webhooks, log);
  return {
    async close() {
      // At the same time: each may have a job that hangs, and waits a few seconds for it.
      await Promise.all(
        [notifications, webhooks, mail, media, papers, scheduledJobs].map((jobs) => jobs.close()),
      );
      await groups.close();
      await testSale?.close();
      await following.close();
      await forgetting.close();
      await dropping.close();
      await sweep.close();
      await projection.close();
      workload.close();
      await stopSharing();
      await metrics.close();
    },
  };
}

const TEST_SALE_EVERY_MS = 15_000;

async function startTestSale(backends: Backends, log: Log): Promise<RepeatedJob> {
  await keepIdsApart(backends.knex);
  const job = new RepeatedJob('keeping the test sale', TEST_SALE_EVERY_MS, log, () => keepTestSale(backends));
  job.soon(0);
  return job;
}

/** Entries, deliveries and mails: what a worker has much of when it has much to do. */
function countingWork(metrics: ServiceMetrics, workload: Workload): ServiceMetrics {
  const { projected, webhooks, mail } = metrics;
  return {
    ...metrics,
    projected(entries) {
      workload.add(entries);
      projected(entries);
    },
    webhooks: {
      ...webhooks,
      delivered(result) {
        workload.add();
        webhooks.delivered(result);
      },
    },
    mail(result) {
      workload.add();
      mail(result);
    },
  };
}
