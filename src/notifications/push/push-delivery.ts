/**
 * Tells browsers what they want to know, as a worker does it: each message is encrypted for its browser (RFC 8291),
 * signed with our key (RFC 8292) and handed to the browser's push service. A browser that is gone is forgotten; a
 * service that is away is tried again. What is an hour old is of no use any more.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import webPush from 'web-push';
import type { PostResult } from '../../../adapters/webhooks/poster.ts';
import type { Language } from '../../shared/language.ts';
import { wordsIn } from '../../shared/languages/phrasebook.ts';
import { PushSubscriptionRow } from '../browsers/push.model.ts';
import { INBOX_ROWS, NOTICE_DATA } from '../inbox/inbox-rows.ts';
import { type KindName, type Notified, notificationText } from '../kinds/kinds.ts';
import type { PushKeys } from './push-keys.ts';

export interface PushParts {
  readonly knex: Knex;
  readonly keys: () => Promise<PushKeys>;
  /** Whom a push service may write to about us: a `mailto:` or `https:` address. */
  readonly subject: string;
  /** The address that links begin with. */
  readonly site: () => string;
  post(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<PostResult>;
}

/** What is worth a buzz. */
const PUSHED_KINDS: readonly KindName[] = ['outbid', 'ending_soon', 'won', 'lot_near'];

const BROWSERS_AT_ONCE = 50;
const NEWS_AT_ONCE = 5;
const MAX_TRIES = 8;
const FIRST_WAIT_SECONDS = 5;
const LEASE_SECONDS = 120;
const VALID_SECONDS = 3_600;
/** Transactions that began earlier may commit later: so far back is looked again. */
const OVERLAP_SECONDS = 30;
const MAX_SENT = 50;

/** A browser that was taken, with its person's language; `wakes_at` is when it is taken again at the latest. */
type Browser = Pick<
  PushSubscriptionRow,
  'id' | 'user_id' | 'endpoint' | 'p256dh' | 'auth' | 'sent' | 'tries' | 'created_at' | 'notified_until'
> & { readonly wakes_at: string; readonly language: Language };

type NewsRow = Notified & { readonly id: number; readonly created_at: string; readonly tag: string };

/** One pass; returns how many browsers were looked after. */
export async function pushNews(parts: PushParts): Promise<number> {
  const browsers = await takeBrowsers(parts.knex);
  await Promise.all(browsers.map((browser) => notify(parts, browser)));
  return browsers.length;
}

/** Takes browsers for a while: what is not looked after by then is taken again. */
async function takeBrowsers(knex: Knex): Promise<Browser[]> {
  // SQL: takes what nobody else has locked, in one statement.
  const { rows } = await knex.raw<{ rows: Browser[] }>(
    `UPDATE push_subscriptions SET wakes_at = now() + interval '${LEASE_SECONDS} seconds'
     WHERE id IN (SELECT id FROM push_subscriptions WHERE wakes_at <= now() ORDER BY wakes_at, id
       LIMIT ${BROWSERS_AT_ONCE} FOR UPDATE SKIP LOCKED)
     RETURNING id, user_id, endpoint, p256dh, auth, created_at, sent, tries, notified_until, wakes_at,
       coalesce((SELECT language FROM users u WHERE u.id = user_id), 'en') AS language`,
  );
  return rows;
}

async function notify(parts: PushParts, browser: Browser): Promise<void> {
  const { knex } = parts;
  const own = () => PushSubscriptionRow.query(knex).findById(browser.id);
  const sent = [...browser.sent];
  let until = browser.notified_until;
  for (const news of await readNews(knex, browser)) {
    const { status } = await send(parts, browser, news);
    if (status === 404 || status === 410) {
      await own().delete();
      return;
    }
    const isTaken = status !== null && status < 300;
    if (!isTaken && browser.tries + 1 < MAX_TRIES) {
      const wait = FIRST_WAIT_SECONDS * 2 ** browser.tries;
      const wakes = raw(`now() + ? * interval '1 second'`, wait);
      await own().patch({ sent, notified_until: until, tries: browser.tries + 1, wakes_at: wakes });
      return;
    }
    sent.push(news.tag);
    if (news.created_at > until) until = news.created_at;
  }
  // Woken meanwhile: it is not the time that was set when it was taken.
  await own().patch({
    sent: sent.slice(-MAX_SENT),
    notified_until: until,
    tries: 0,
    wakes_at: raw('NULLIF(wakes_at, ?::timestamptz)', browser.wakes_at),
  });
}

/** What came since this browser was added and was not sent to it, the oldest first. */
async function readNews(
  knex: Knex,
  { user_id: userId, created_at: since, notified_until: until, sent }: Browser,
): Promise<NewsRow[]> {
  // SQL: both tables of the inbox, a notice with its lot.
  const { rows } = await knex.raw<{ rows: NewsRow[] }>(
    `SELECT n.id, n.kind, n.lot_id, ${NOTICE_DATA} AS data, n.created_at, n.kind || n.id || '@' || n.created_at AS tag
     FROM ${INBOX_ROWS} n LEFT JOIN lots l ON l.id = n.lot_id LEFT JOIN auctions a ON a.id = l.auction_id
     WHERE n.user_id = :userId AND n.on_page AND n.kind = ANY(:kinds)
       AND n.created_at > :until::timestamptz - interval '${OVERLAP_SECONDS} seconds'
       AND n.created_at > now() - interval '${VALID_SECONDS} seconds'
       AND NOT (n.kind || n.id || '@' || n.created_at) = ANY(:sent)
       AND n.created_at >= :since::timestamptz
     ORDER BY n.created_at, n.id LIMIT ${NEWS_AT_ONCE}`,
    { userId, kinds: [...PUSHED_KINDS], since, until, sent: [...sent] },
  );
  return rows;
}

async function send(parts: PushParts, browser: Browser, news: NewsRow): Promise<PostResult> {
  const { endpoint, p256dh, auth, language } = browser;
  const { title, words, path } = notificationText(news);
  const text = { title: wordsIn(language, title), body: wordsIn(language, words) };
  const payload = JSON.stringify({ kind: news.kind, ...text, url: `${parts.site()}${path}` });
  const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject: parts.subject, ...(await parts.keys()) },
    TTL: VALID_SECONDS,
    urgency: 'high',
  });
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name.toLowerCase() !== 'content-length')
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  return parts.post(endpoint, headers, request.body);
}
