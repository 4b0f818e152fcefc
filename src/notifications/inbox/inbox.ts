/**
 * People's notifications: putting them there, reading them, marking them read. Sources of notifications call
 * `Inbox.put` in a transaction and `announce` after it; preferences and mail are handled here. The same key is sent
 * once to a person.
 */
import type { Knex } from 'knex';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { entryOf } from '../../../engine/first-of.ts';
import { letter } from '../../accounts/mail/letter.ts';
import type { Mail, MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import type { BidRange, EventRange } from '../../events/read-events.ts';
import { type KindName, type Notified, notificationText } from '../kinds/kinds.ts';
import {
  awaitOutbidMails,
  isOutbidMailDue,
  MAX_COUNTED,
  type OutbidMail,
  takeOutbidMails,
} from './outbid-mails.ts';
import { putOutbidNotices } from './outbid-notices.ts';
import { readPreferences } from './preferences.ts';

/** A notification, except that somebody is outbid: that is put by `putOutbid`. */
export type News = Notified<Exclude<KindName, 'outbid'>> & {
  readonly userId: number;
  /** Names what it is about: a second one with the same key is not sent. */
  readonly key: string;
  /** The trace that its mail continues with, and the bid that it is about, where there are such. */
  readonly trace?: string | null;
  readonly bidId?: string;
};

export type NotificationRow = Notified & {
  readonly id: number;
  readonly user_id: number;
  readonly created_at: string;
  readonly read_at: string | null;
};

/** User ids as JSON: those whose notifications have changed. */
export const NOTIFIED_CHANNEL = 'rostrum:notified';

const MAX_AT_ONCE = 1_000;

export class Inbox {
  readonly #mails: MailOutbox | null;
  readonly #siteUrl: () => string;

  /** `siteUrl`: the address that links in mails begin with. */
  constructor(mails: MailOutbox | null, siteUrl: () => string) {
    this.#mails = mails;
    this.#siteUrl = siteUrl;
  }

  /** Puts news into inboxes and their mails into the outbox. Returns whose inbox has changed. */
  async put(trx: Knex, news: readonly News[]): Promise<number[]> {
    const notified = new Set<number>();
    for (let from = 0; from < news.length; from += MAX_AT_ONCE) {
      const some = news.slice(from, from + MAX_AT_ONCE);
      for (const userId of await this.#putSome(trx, some)) notified.add(userId);
    }
    return [...notified];
  }

  async #putSome(trx: Knex, news: readonly News[]): Promise<number[]> {
    const wishes = await readPreferences(trx, [...new Set(news.map(({ userId }) => userId))]);
    const wanted = news.filter(({ userId, kind }) => {
      const wish = entryOf(wishes, userId)[kind];
      return wish.page || wish.mail;
    });
    if (wanted.length === 0) return [];
    const rows = await insert(
      trx,
      wanted.map((one) => ({ ...one, onPage: entryOf(wishes, one.userId)[one.kind].page })),
    );
    const mailed = rows.filter(({ user_id, kind }) => entryOf(wishes, user_id)[kind].mail);
    await this.#mail(trx, wanted, mailed);
    return rows.map(({ user_id }) => user_id);
  }

  /** Notifies those whom these bids have beaten. Returns whose inbox has changed. */
  async putOutbid(trx: Knex, range: EventRange, moved: readonly BidRange[]): Promise<number[]> {
    const people = await putOutbidNotices(trx, range, moved);
    const mailed = people.filter(({ by_mail }) => by_mail).map(({ user_id }) => user_id);
    if (this.#mails?.enabled) await awaitOutbidMails(trx, mailed);
    return people.map(({ user_id }) => user_id);
  }

  /** Puts the mails about outbid lots that are due into the outbox. */
  async mailOutbid(knex: Knex): Promise<void> {
    const mails = this.#mails;
    if (!mails?.enabled || !(await isOutbidMailDue(knex))) return;
    await knex.transaction(async (trx) => {
      const due = await takeOutbidMails(trx);
      await mails.put(trx, ...due.map((mail) => this.#outbidLetter(mail)));
    });
  }

  async #mail(trx: Knex, news: readonly News[], rows: readonly PutRow[]): Promise<void> {
    if (!this.#mails?.enabled || rows.length === 0) return;
    // SQL: marks and returns whom, with their addresses, in one statement.
    const { rows: due } = await trx.raw<{ rows: { id: number; email: string; times: string }[] }>(
      `UPDATE notifications n SET mailed_at = now() FROM users u
       WHERE n.id = ANY(CAST(? AS bigint[])) AND u.id = n.user_id
       RETURNING n.id, u.email, extract(epoch from n.mailed_at)::bigint AS times`,
      [rows.map(({ id }) => id)],
    );
    const keys = new Map(rows.map(({ id, user_id, key }) => [id, `${user_id}|${key}`]));
    const byKey = new Map(news.map((one) => [`${one.userId}|${one.key}`, one]));
    const letters = due.map(({ id, email, times }) =>
      this.#letterOf(entryOf(byKey, entryOf(keys, id)), email, `notification-${id}-${times}`),
    );
    await this.#mails.put(trx, ...letters);
  }

  #letterOf(content: LetterContent, to: string, eventKey: string): Mail {
    const { trace = null, bidId } = content;
    const { title, body, path } = notificationText(content);
    const subject = 'title' in content.data ? `${title}: ${content.data.title}` : title;
    const mail = this.#mailOf({ eventKey, to, subject, paragraphs: [`${title}.`, body], path });
    return { ...mail, trace, ...(bidId === undefined ? {} : { bidId }) };
  }

  #outbidLetter({ key: eventKey, email: to, lots, more }: OutbidMail): Mail {
    const [first] = lots;
    if (first !== undefined && lots.length === 1) {
      return this.#letterOf({ kind: 'outbid', ...first }, to, eventKey);
    }
    const among = more < MAX_COUNTED ? '' : 'at least ';
    const subject = `You have been outbid on ${among}${lots.length + more} lots`;
    const bodies = lots.map((lot) => notificationText({ kind: 'outbid', ...lot }).body);
    const rest = more === 0 ? [] : [more === 1 ? 'And one more.' : `And ${among}${more} more.`];
    const paragraphs = [`${subject}.`, ...bodies, ...rest];
    return this.#mailOf({ eventKey, to, subject, paragraphs, path: '/account/board' });
  }

  #mailOf(parts: {
    readonly eventKey: string;
    readonly to: string;
    readonly subject: string;
    readonly paragraphs: readonly string[];
    readonly path: string;
  }): Mail {
    const { eventKey, to, subject, paragraphs, path } = parts;
    const site = this.#siteUrl();
    return {
      ...letter({
        subject,
        paragraphs,
        link: { label: 'See it on the site', url: `${site}${path}` },
        closing: [`Choose which emails you get at ${site}/account/notifications.`],
      }),
      eventKey,
      to,
      kind: 'notification',
    };
  }
}

/** What a mail says of a notification. */
type LetterContent = Notified & Pick<News, 'trace' | 'bidId'>;

type PlacedNews = News & { readonly onPage: boolean };

const NEWS = `json_to_recordset(?::json)
  AS n (user_id bigint, kind text, key text, lot_id bigint, data jsonb, on_page boolean)`;

function jsonOf(news: readonly PlacedNews[]): string {
  return JSON.stringify(
    news.map(({ userId, lot_id, onPage, kind, key, data }) => ({
      kind,
      key,
      data,
      user_id: userId,
      lot_id,
      on_page: onPage,
    })),
  );
}

/** The inserted rows, as far as they are needed later. */
type PutRow = Pick<NotificationRow, 'id' | 'user_id' | 'kind' | 'lot_id'> & { readonly key: string };

async function insert(trx: Knex, news: readonly PlacedNews[]): Promise<PutRow[]> {
  // SQL: many as one document.
  const { rows } = await trx.raw<{ rows: PutRow[] }>(
    `INSERT INTO notifications (user_id, kind, key, lot_id, data, on_page)
     SELECT user_id, kind, key, lot_id, data, on_page FROM ${NEWS}
     ON CONFLICT (user_id, key) DO NOTHING RETURNING id, user_id, kind, key, lot_id`,
    [jsonOf(news)],
  );
  return rows;
}

/** Notifies all web processes of users whose notifications have changed; called after the transaction. */
export async function announce(
  pubSub: Pick<RedisPubSub, 'publish'>,
  userIds: readonly number[],
): Promise<void> {
  if (userIds.length > 0) await pubSub.publish(NOTIFIED_CHANNEL, JSON.stringify(userIds));
}
