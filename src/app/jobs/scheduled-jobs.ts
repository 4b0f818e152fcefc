/**
 * What is due by the clock in the marketplace as a whole, done by one worker at a time: auctions start, those without
 * lots end, what is half published is finished, money that is due is requested. All of it may be done twice; a round
 * that a killed worker held is made up for by the next.
 */
import type { QueueAddress } from '../../../adapters/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../../adapters/queue/queue.ts';
import { startQueueWorker } from '../../../adapters/queue/queue-worker.ts';
import { publishPending } from '../../bidding/records/publishing.ts';
import { endEmptyAuctions, startDueAuctions } from '../../bidding/records/timetable.ts';
import { adTally, runCampaigns } from '../../selling/campaigns/counting.ts';
import { followListedLots } from '../../selling/cross-listings/cross-listings.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { moneyParts } from '../process/money-parts.ts';
import { SCHEDULED_JOBS_QUEUE } from '../process/queue-address.ts';
import { checkpointJobs } from './checkpoint-jobs.ts';
import { MONEY_JOBS } from './money-jobs.ts';

/** How often each round is made, in milliseconds. */
const EVERY_MS = {
  'start-auctions': 1_000,
  'end-auctions': 5_000,
  'publish-pending': 2_000,
  'run-campaigns': 2_000,
  'follow-listed-lots': 5_000,
  ...Object.fromEntries(Object.entries(MONEY_JOBS).map(([name, { everyMs }]) => [name, everyMs])),
};

/** The rounds are put into the queue again now and then: a Redis that came back without them must not stop them. */
const RENEW_MS = 30_000;

export interface ScheduledJobs {
  close(): Promise<void>;
}

/** Takes part in the rounds. Never throws: while Redis is unavailable the rounds wait. */
export function startScheduledJobs(
  config: Config,
  address: QueueAddress,
  backends: Backends,
  log: Log,
): ScheduledJobs {
  const checkpoints = checkpointJobs(config, backends);
  const moneyWork = {
    ...backends,
    ...moneyParts(config),
    onError: (err: unknown, invoice: string) => log.warn({ err, invoice }, 'a deposit waits to go back'),
  };
  const queue = openQueue<null>(address, SCHEDULED_JOBS_QUEUE, (err) => log.debug({ err }, 'queue'));
  const worker = startQueueWorker<null>(address, SCHEDULED_JOBS_QUEUE, {
    handlers: {
      'start-auctions': async () => void (await startDueAuctions(backends)),
      'end-auctions': async () => void (await endEmptyAuctions(backends)),
      'publish-pending': async () => void (await publishPending(backends)),
      'follow-listed-lots': async () => void (await followListedLots(backends.knex)),
      'run-campaigns': async () =>
        void (await runCampaigns({ knex: backends.knex, tally: adTally(backends) })),
      ...Object.fromEntries(
        Object.entries(MONEY_JOBS).map(([name, { work }]) => [
          name,
          async () => void (await work(moneyWork)),
        ]),
      ),
      ...Object.fromEntries(Object.entries(checkpoints).map(([name, { work }]) => [name, work])),
    },
    concurrency: Object.keys(EVERY_MS).length + Object.keys(checkpoints).length,
    onError: (err, { name }) => {
      if (name === undefined) log.debug({ err }, 'queue worker');
      else log.warn({ err, name }, 'a round failed; the next one makes up for it');
    },
  });
  const renew = () => void renewJobs(queue, checkpoints).catch((err: unknown) => log.warn({ err }, 'queue'));
  renew();
  const timer = setInterval(renew, RENEW_MS);
  return {
    async close() {
      clearInterval(timer);
      await worker.close();
      await queue.close();
    },
  };
}

async function renewJobs(
  queue: WorkQueue<null>,
  checkpoints: Readonly<Record<string, { readonly everyMs: number }>>,
): Promise<void> {
  for (const [name, { everyMs }] of Object.entries(checkpoints)) await queue.every(name, everyMs, null);
  for (const [name, everyMs] of Object.entries(EVERY_MS)) await queue.every(name, everyMs, null);
}
