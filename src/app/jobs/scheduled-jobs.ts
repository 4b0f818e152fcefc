/**
 * What is due by the clock in the marketplace as a whole, done by one worker at a time: auctions start, those without
 * lots end, what is half published is finished, money that is due is requested. All of it may be done twice; a round
 * that a killed worker held is done by the next.
 */
import type { QueueAddress } from '../../../adapters/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../../adapters/queue/queue.ts';
import { startQueueWorker } from '../../../adapters/queue/queue-worker.ts';
import { forgetOrigins } from '../../bidding/origins/bid-origins.ts';
import { followClocks } from '../../bidding/projection/clock-prices.ts';
import { followGroups } from '../../bidding/projection/group-prices.ts';
import { announceMissed } from '../../bidding/projection/missed-announcements.ts';
import { publishPending } from '../../bidding/records/publishing.ts';
import { endEmptyAuctions, startDueAuctions } from '../../bidding/records/timetable.ts';
import { bindInvitations } from '../../bidding/registrations/bidder-invitations.ts';
import { mailInvitations } from '../../bidding/registrations/invitation-letters.ts';
import { DEPOSITS } from '../../billing/deposits/deposits.ts';
import { adTally, runCampaigns } from '../../selling/campaigns/counting.ts';
import { followListedLots } from '../../selling/cross-listings/cross-listings.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';
import type { Backends } from '../process/backends.ts';
import { mailOutboxOf } from '../process/mail.ts';
import { moneyParts } from '../process/money-parts.ts';
import { SCHEDULED_JOBS_QUEUE } from '../process/queue-address.ts';
import { checkpointJobs } from './checkpoint-jobs.ts';
import { MONEY_JOBS } from './money-jobs.ts';

/** Something that is done every so often. */
interface Round {
  readonly everyMs: number;
  work(): Promise<unknown>;
}

/** The rounds are put into the queue again now and then: a Redis that returned without them must not stop them. */
const RENEW_MS = 30_000;
const ROUND_FAILED = 'a round failed; the next one makes up for it';

export interface ScheduledJobs {
  close(): Promise<void>;
}

/** Takes part in the scheduled passes. Never throws: while Redis is unavailable they wait. */
export function startScheduledJobs(
  config: Config,
  address: QueueAddress,
  backends: Backends,
  log: Log,
): ScheduledJobs {
  const rounds = roundsOf(config, backends, log);
  const periods = [...new Set(Object.values(rounds).map(({ everyMs }) => everyMs))];
  const queue = openQueue<null>(address, SCHEDULED_JOBS_QUEUE, (err) => log.debug({ err }, 'queue'));
  const worker = startQueueWorker<null>(address, SCHEDULED_JOBS_QUEUE, {
    handlers: {
      ...Object.fromEntries(
        periods.map((everyMs) => [jobName(everyMs), () => makeRounds(rounds, everyMs, log)]),
      ),
    },
    concurrency: Object.keys(rounds).length,
    onError: (err, { name }) => {
      if (name === undefined) log.debug({ err }, 'queue worker');
      else log.warn({ err, name }, ROUND_FAILED);
    },
  });
  const renew = () => void renewJobs(queue, periods).catch((err: unknown) => log.warn({ err }, 'queue'));
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

/** All rounds by name. */
function roundsOf(config: Config, backends: Backends, log: Log): Readonly<Record<string, Round>> {
  const { knex } = backends;
  const letters = { knex, mail: mailOutboxOf(config), siteUrl: () => addressFor(config) };
  const moneyWork = {
    ...backends,
    ...moneyParts(config),
    onError: (err: unknown, invoice: string) => log.warn({ err, invoice }, 'a deposit waits to go back'),
  };
  return {
    'start-auctions': { everyMs: 1_000, work: () => followTime(backends) },
    'end-auctions': { everyMs: 5_000, work: () => endEmptyAuctions(backends) },
    'publish-pending': { everyMs: 2_000, work: () => publishPending(backends) },
    'run-campaigns': { everyMs: 2_000, work: () => runCampaigns({ knex, tally: adTally(backends) }) },
    'bind-invitations': { everyMs: 5_000, work: () => bindInvitations({ ...backends, deposits: DEPOSITS }) },
    'mail-invitations': { everyMs: 5_000, work: () => mailInvitations(letters) },
    'forget-bid-origins': { everyMs: 3_600_000, work: () => forgetOrigins(knex) },
    'announce-missed': { everyMs: 3_600_000, work: () => announceMissed(knex) },
    'follow-listed-lots': { everyMs: 5_000, work: () => followListedLots(knex) },
    ...Object.fromEntries(
      Object.entries(MONEY_JOBS).map(([name, { everyMs, work }]) => [
        name,
        { everyMs, work: () => work(moneyWork) },
      ]),
    ),
    ...checkpointJobs(config, backends),
  };
}

/** What no entry of the lot's own journal says: what time changes, and what is bid on others of its group. */
async function followTime(backends: Backends): Promise<void> {
  await startDueAuctions(backends);
  await followClocks(backends);
  await followGroups(backends.knex);
}

/** All rounds of one period are one job: what the queue does for a job costs more than most rounds find to do. */
function jobName(everyMs: number): string {
  return `every-${everyMs}-ms`;
}

/** Makes the rounds of one period side by side: one that fails or hangs delays no other. */
async function makeRounds(rounds: Readonly<Record<string, Round>>, everyMs: number, log: Log): Promise<void> {
  const due = Object.entries(rounds).filter(([, round]) => round.everyMs === everyMs);
  await Promise.all(
    due.map(([name, { work }]) => work().catch((err: unknown) => log.warn({ err, name }, ROUND_FAILED))),
  );
}

async function renewJobs(queue: WorkQueue<null>, periods: readonly number[]): Promise<void> {
  for (const everyMs of periods) await queue.every(jobName(everyMs), everyMs, null);
  await queue.endOthers(periods.map(jobName));
}
