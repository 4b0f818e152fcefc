/**
 * Sending mails in a worker: listens for new ones, puts each into a queue once, and sends what the queue delivers.
 * Waiting mails are in Postgres, and a sweep finds those without a notice, so a lost Redis costs no mail.
 */
import { type MailTransport, openMailFolder, openSmtp } from '../../../adapters/mail/transport.ts';
import { listenForNotices } from '../../../adapters/postgres/notices.ts';
import { openQueue, type WorkQueue } from '../../../adapters/queue/queue.ts';
import { startQueueWorker, type Work } from '../../../adapters/queue/queue-worker.ts';
import {
  type DeliveryParts,
  deliverMail,
  giveUpMail,
  tidyMails,
  waitingMails,
} from '../../accounts/mail/mail-delivery.ts';
import type { MailResult } from '../../accounts/mail/mail-metrics.ts';
import { MAILS_CHANNEL } from '../../accounts/mail/mail-outbox.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { MAIL_QUEUE, queueAddressOf } from '../process/queue-address.ts';

/** The first retry comes after half a second, each later one after twice the wait: the last after some nine hours. */
export const ATTEMPTS = 17;
const AT_ONCE = 4;
/** Enqueued together: Redis does nothing else meanwhile, and bids wait for it. */
const MAILS_PER_JOB = 50;
const MAX_SWEPT = 1_000;
const SWEEP_MS = 5_000;
const TIDY_MS = 3_600_000;
const RENEW_MS = 30_000;
/** What is being sent when the worker ends is waited for so long; then it is sent again later. */
const LEAVE_MS = 2_000;

export interface MailJobs {
  close(): Promise<void>;
}

type MailWork = { readonly id: number } | null;

/**
 * Starts sending; with mail off, nothing. Never throws: while Postgres, Redis or the mail server is unavailable,
 * mails wait.
 */
export function startMail(
  config: Config,
  backends: Pick<Backends, 'knex' | 'database' | 'addresses' | 'tracing'>,
  count: (result: MailResult) => void,
  log: Log,
): MailJobs {
  const transport = openMailTransport(config);
  if (transport === null || config.mail.kind === 'off') return { close: async () => {} };
  const parts: DeliveryParts = {
    ...backends,
    transport,
    from: config.mail.from,
    secrets: config.appSecrets,
    onSent: (mail) => log.debug(mail, 'mail sent'),
  };
  const address = queueAddressOf(config, backends.addresses.redisUrl);
  const queue = openQueue<MailWork>(address, MAIL_QUEUE, (err) => log.debug({ err }, 'mail queue'));
  const queueMails = mailQueuer(parts, queue, log);
  const notices = listenForNotices({
    url: backends.database.url,
    channels: [MAILS_CHANNEL],
    onNotice: () => void queueMails(false),
    onError: (err) => log.debug({ err }, 'mail notices'),
  });
  const worker = startQueueWorker<MailWork>(address, MAIL_QUEUE, {
    handlers: {
      send: sending(parts, count),
      sweep: () => queueMails(true),
      tidy: async () => void (await tidyMails(backends.knex)),
    },
    concurrency: AT_ONCE,
    onError: (err, { name, attempt }) => {
      if (name === undefined) log.debug({ err }, 'mail worker');
      else log.warn({ err, name, attempt }, 'a mail failed; retrying');
    },
  });
  const stopRenewing = keepSchedules(queue, log);
  return { close: () => closeAll(stopRenewing, notices, worker, queue, transport) };
}

async function closeAll(
  stopRenewing: () => void,
  notices: { close(): Promise<void> },
  worker: { close(): Promise<void> },
  queue: WorkQueue<MailWork>,
  transport: MailTransport,
): Promise<void> {
  stopRenewing();
  await notices.close();
  // A process has ten seconds to end; a mail server may take longer to say nothing.
  const hurry = setTimeout(() => transport.close(), LEAVE_MS);
  await worker.close();
  clearTimeout(hurry);
  await queue.close();
  transport.close();
}

/**
 * Queues waiting mails, one run at a time; a request meanwhile makes one more run. Mails that were queued before are
 * only queued again by a sweep, which finds those that committed late and those that Redis has lost.
 */
function mailQueuer(
  parts: DeliveryParts,
  queue: WorkQueue<MailWork>,
  log: Log,
): (sweep: boolean) => Promise<void> {
  let running: Promise<void> | null = null;
  let requested = false;
  let sweeping = false;
  let seen = 0;
  const walk = async (after: number, max: number) => {
    let last = after;
    for (let left = max; left > 0; left -= MAILS_PER_JOB) {
      const ids = await waitingMails(parts.knex, last, MAILS_PER_JOB);
      // The queue holds an id once, so queueing twice sends nothing twice.
      const works = ids.map((id) => ({
        name: 'send',
        data: { id },
        options: { id: `mail-${id}`, attempts: ATTEMPTS },
      }));
      if (works.length > 0) await queue.addMany(works);
      last = ids.at(-1) ?? last;
      if (ids.length < MAILS_PER_JOB) break;
    }
    return last;
  };
  const queueWaiting = async () => {
    while (requested) {
      requested = false;
      const sweep = sweeping;
      sweeping = false;
      if (sweep) await walk(0, MAX_SWEPT);
      seen = await walk(seen, Number.POSITIVE_INFINITY);
    }
  };
  return (sweep) => {
    requested = true;
    sweeping ||= sweep;
    running ??= queueWaiting()
      .catch((err: unknown) => log.debug({ err }, 'queueing mails failed; retrying'))
      .finally(() => {
        running = null;
      });
    return running;
  };
}

function sending(
  parts: DeliveryParts,
  count: (result: MailResult) => void,
): (work: Work<MailWork>) => Promise<void> {
  return async ({ data, attempt }) => {
    if (data === null) return;
    try {
      const outcome = await deliverMail(parts, data.id);
      if (outcome !== 'gone') count(outcome);
    } catch (error) {
      count('failed');
      if (attempt >= ATTEMPTS) await giveUpMail(parts.knex, data.id, String(error));
      throw error;
    }
  };
}

/** Puts the rounds into the queue, and again now and then: a Redis that returned without them must not stop them. */
function keepSchedules(queue: WorkQueue<MailWork>, log: Log): () => void {
  const renew = async () => {
    await queue.every('sweep', SWEEP_MS, null);
    await queue.every('tidy', TIDY_MS, null);
  };
  const renewed = () => void renew().catch((err: unknown) => log.debug({ err }, 'mail queue'));
  renewed();
  const timer = setInterval(renewed, RENEW_MS);
  return () => clearInterval(timer);
}

/** What mails go out with; null where mail is off. */
function openMailTransport({ mail }: Pick<Config, 'mail'>): MailTransport | null {
  if (mail.kind === 'off') return null;
  return mail.kind === 'smtp' ? openSmtp(mail.url) : openMailFolder(mail.folder);
}
