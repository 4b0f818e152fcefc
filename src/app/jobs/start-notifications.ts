/**
 * A worker's scheduled jobs for notifications: notifies people of facts as soon as they are committed, and checks every
 * few seconds for what has no fact. Any number of workers may run it; a run that fails is retried.
 */
import { listenForNotices } from '../../../adapters/postgres/notices.ts';
import { WebhookPoster } from '../../../adapters/webhooks/poster.ts';
import { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { EVENTS_CHANNEL } from '../../events/outbox.ts';
import { announce, Inbox } from '../../notifications/inbox/inbox.ts';
import { pushNews } from '../../notifications/push/push-delivery.ts';
import { pushKeys } from '../../notifications/push/push-keys.ts';
import { notifySearches } from '../../notifications/searches/saved-searches.ts';
import { countNewLots } from '../../notifications/searches/search-counts.ts';
import { isAnyFactNew, notifyFacts } from '../../notifications/sources/news-of-facts.ts';
import { notifyRows } from '../../notifications/sources/news-of-rows.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';
import type { Backends } from '../process/backends.ts';
import { mailOutboxOf } from '../process/mail.ts';
import { RepeatedJob, SETTLE_MS } from './repeated-job.ts';

const FACTS_MS = 1_000;
const STATUS_NEWS_MS = 3_000;
const SEARCHES_MS = 5_000;
const PUSHES_MS = 2_000;

export interface NotificationJobs {
  close(): Promise<void>;
}

/** Starts notifying. Never throws: while Postgres or Redis is unavailable, notifications wait. */
export function startNotifications(config: Config, backends: Backends, log: Log): NotificationJobs {
  const { knex, pubSub, database } = backends;
  const inbox = new Inbox(mailOutboxOf(config), () => addressFor(config));
  const countNew = countNewLots(knex, new CategoryTree(knex));
  const announceTo = (userIds: readonly number[]) => announce(pubSub, userIds);
  const poster = new WebhookPoster({ allowLoopback: config.webhookAllowLoopback });
  const push = {
    knex,
    keys: () => pushKeys(knex, config.appSecrets),
    subject: pushSubjectOf(config),
    site: () => addressFor(config),
    post: (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) =>
      poster.post(url, headers, body),
  };
  const pushes = new RepeatedJob('pushes', PUSHES_MS, log, async () => {
    while ((await pushNews(push)) > 0);
  });
  const facts = new RepeatedJob('facts', FACTS_MS, log, async () => {
    for (let more = await isAnyFactNew(knex); more; ) {
      const run = await notifyFacts(knex, inbox);
      await announceTo(run.notified);
      more = run.more;
    }
    await inbox.mailDue(knex);
    pushes.soon(SETTLE_MS);
  });
  const states = new RepeatedJob('states', STATUS_NEWS_MS, log, async () => {
    for (let more = true; more; ) {
      const run = await notifyRows(knex, inbox);
      await announceTo(run.notified);
      more = run.more;
    }
  });
  const searches = new RepeatedJob('searches', SEARCHES_MS, log, async () =>
    announceTo(
      await notifySearches(knex, inbox, countNew, (id, err) =>
        log.warn({ err, search: id }, 'a saved search failed'),
      ),
    ),
  );
  const notices = listenForNotices({
    url: database.url,
    channels: [EVENTS_CHANNEL],
    onNotice: () => facts.soon(SETTLE_MS),
    onError: (err) => log.debug({ err }, 'notification notices'),
  });
  return {
    async close() {
      await notices.close();
      await Promise.all([facts.close(), states.close(), searches.close(), pushes.close()]);
      await poster.close();
    },
  };
}

/** Whom push services may write to about us. */
function pushSubjectOf({ publicUrl, securityContact }: Config): string {
  if (securityContact !== null && !securityContact.startsWith('tel:')) return securityContact;
  return publicUrl?.startsWith('https:') ? publicUrl : 'mailto:security@localhost.localdomain';
}
