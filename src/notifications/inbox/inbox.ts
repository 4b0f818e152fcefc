/**
 * People's notifications: putting them there, reading them, marking them read. Whoever learns of something worth
 * telling calls `Inbox.put` in a transaction and `announce` after it; preferences and mail are seen to here. The same
 * key is told once to a person.
 */
import type { Knex } from 'knex';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { letter } from '../../accounts/mail/letter.ts';
import type { Mail, MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import type { KindName } from './kinds.ts';
import { type NotificationData, notificationText } from './notification-text.ts';
import { readPreferences } from './preferences.ts';

/** Something to be told. */
export interface News {
  readonly userId: number;
  readonly kind: KindName;
  /** Names what it is about: a second one with the same key is not told. */
  readonly key: string;
  readonly lotId: number | null;
  readonly data: NotificationData;
}

export interface NotificationRow {
  readonly id: number;
  readonly user_id: number;
  readonly kind: KindName;
  readonly lot_id: number | null;
  readonly data: NotificationData;
  readonly created_at: string;
  readonly read_at: string | null;
}

/** User ids as JSON: those whose notifications have changed. */
export const NOTIFIED_CHANNEL = 'rostrum:notified';

/** Outbid mails about one lot, to one person: not more often than this. */
const OUTBID_MAIL_GAP = "interval '10 minutes'";
const MOST_AT_ONCE = 1_000;

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
    const told = new Set<number>();
    for (let from = 0; from < news.length; from += MOST_AT_ONCE) {
      const some = news.slice(from, from + MOST_AT_ONCE);
      for (const userId of await this.#putSome(trx, some)) told.add(userId);
    }
    return [...told];
  }

  async #putSome(trx: Knex, news: readonly News[]): Promise<number[]> {
    const wishes = await readPreferences(trx, [...new Set(news.map(({ userId }) => userId))]);
    const wanted = news.filter(({ userId, kind }) => {
      const wish = wishes.get(userId)![kind];
      return wish.page || wish.mail;
    });
    if (wanted.length === 0) return [];
    const rows = await insert(
      trx,
      wanted.map((one) => ({ ...one, onPage: wishes.get(one.userId)![one.kind].page })),
    );
    const mailed = rows.filter(({ user_id, kind }) => wishes.get(user_id)![kind].mail);
    await this.#mail(trx, mailed);
    return rows.map(({ user_id }) => user_id);
  }

  async #mail(trx: Knex, rows: readonly NotificationRow[]): Promise<void> {
    if (this.#mails === null || !this.#mails.enabled || rows.length === 0) return;
    const due: { id: number; user_id: number; email: string; times: string }[] = (
      await trx.raw(
        `UPDATE notifications n SET mailed_at = now() FROM users u
         WHERE n.id = ANY(CAST(? AS bigint[])) AND u.id = n.user_id
           AND NOT (n.kind = 'outbid' AND EXISTS (SELECT FROM notifications o WHERE o.user_id = n.user_id
             AND o.lot_id = n.lot_id AND o.kind = 'outbid' AND o.mailed_at > now() - ${OUTBID_MAIL_GAP}))
         RETURNING n.id, n.user_id, u.email, extract(epoch from n.mailed_at)::bigint AS times`,
        [rows.map(({ id }) => id)],
      )
    ).rows;
    const byId = new Map(rows.map((row) => [row.id, row]));
    await this.#mails.put(
      trx,
      ...due.map(({ id, email, times }) => this.#letterOf(byId.get(id)!, email, times)),
    );
  }

  #letterOf(row: NotificationRow, to: string, times: string): Mail {
    const { title, body, path } = notificationText(row.kind, row.lot_id, row.data);
    const site = this.#siteUrl();
    return {
      ...letter({
        subject: row.data.title === undefined ? title : `${title}: ${row.data.title}`,
        paragraphs: [`${title}.`, body],
        link: { label: 'See it on the site', url: `${site}${path}` },
        closing: [`You choose what we mail you at ${site}/account/notifications.`],
      }),
      eventKey: `notification-${row.id}-${times}`,
      to,
      kind: 'notification',
    };
  }
}

/** An unread outbid notice of the same lot is brought up to date instead of making another one. */
async function insert(trx: Knex, news: readonly (News & { onPage: boolean })[]): Promise<NotificationRow[]> {
  const json = JSON.stringify(
    news.map(({ userId, kind, key, lotId, data, onPage }) => ({
      user_id: userId,
      kind,
      key,
      lot_id: lotId,
      data,
      on_page: onPage,
    })),
  );
  const { rows } = await trx.raw<{ rows: NotificationRow[] }>(
    `WITH news AS (
       SELECT * FROM json_to_recordset(?::json)
         AS n (user_id bigint, kind text, key text, lot_id bigint, data jsonb, on_page boolean))
     UPDATE notifications o SET data = n.data, created_at = now(), key = n.key FROM news n
     WHERE n.kind = 'outbid' AND o.kind = 'outbid' AND o.user_id = n.user_id AND o.lot_id = n.lot_id
       AND o.read_at IS NULL AND o.key <> n.key
     RETURNING o.*`,
    [json],
  );
  const renewed = new Set(rows.map(({ user_id, lot_id }) => `${user_id}|${lot_id}`));
  const fresh = news.filter(
    ({ kind, userId, lotId }) => kind !== 'outbid' || !renewed.has(`${userId}|${lotId}`),
  );
  if (fresh.length === 0) return rows;
  const inserted: NotificationRow[] = await trx('notifications')
    .insert(
      fresh.map(({ userId, kind, key, lotId, data, onPage }) => ({
        user_id: userId,
        kind,
        key,
        lot_id: lotId,
        data: JSON.stringify(data),
        on_page: onPage,
      })),
    )
    .onConflict(['user_id', 'key'])
    .ignore()
    .returning('*');
  return [...rows, ...inserted];
}

/** Tells all web processes whose notifications have changed; call it after the transaction. */
export async function announce(
  pubSub: Pick<RedisPubSub, 'publish'>,
  userIds: readonly number[],
): Promise<void> {
  if (userIds.length > 0) await pubSub.publish(NOTIFIED_CHANNEL, JSON.stringify(userIds));
}
