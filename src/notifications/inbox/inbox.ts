/**
 * People's notifications: putting them there, reading them, marking them read. Sources of notifications call
 * `Inbox.put` in a transaction and `announce` after it; preferences and mail are handled here. The same key is sent
 * once to a person.
 */
import type { Knex } from 'knex';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { entryOf } from '../../../engine/first-of.ts';
import type { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import type { EventRange } from '../../events/read-events.ts';
import { wakeBrowsers } from '../browsers/push-subscriptions.ts';
import type { KindName, Notified } from '../kinds/kinds.ts';
import { lettersFor, readWinnerInvoices } from './inbox-letters.ts';
import {
  awaitMails,
  isAnyMailDue,
  noteMailed,
  type Recipient,
  readWaiting,
  SALE_KINDS,
  takeRecipients,
  type WaitingNotice,
  wakeEndedSales,
} from './mail-recipients.ts';
import { awaitOutbidMails, noteOutbidMails, readOutbidLots } from './outbid-mails.ts';
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

  /** Puts news into inboxes, and what is to be mailed of them in line. Returns whose inbox has changed. */
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
    await wakeBrowsers(
      trx,
      rows.map(({ user_id }) => user_id),
    );
    if (this.#mails?.enabled)
      await awaitMails(
        trx,
        mailed.map(({ id }) => id),
      );
    return rows.map(({ user_id }) => user_id);
  }

  /** Notifies those whom these bids have beaten. Returns whose inbox has changed. */
  async putOutbid(trx: Knex, range: EventRange): Promise<number[]> {
    const people = await putOutbidNotices(trx, range);
    await wakeBrowsers(
      trx,
      people.map(({ user_id }) => user_id),
    );
    const mailed = people.filter(({ by_mail }) => by_mail).map(({ user_id }) => user_id);
    if (this.#mails?.enabled) await awaitOutbidMails(trx, mailed);
    return people.map(({ user_id }) => user_id);
  }

  /** Puts the mails that are due into the outbox. */
  async mailDue(knex: Knex): Promise<void> {
    const mails = this.#mails;
    if (!mails?.enabled) return;
    await wakeEndedSales(knex);
    if (!(await isAnyMailDue(knex))) return;
    await knex.transaction(async (trx) => {
      const recipients = await takeRecipients(trx);
      if (recipients.length > 0) await this.#mail(trx, mails, recipients);
    });
  }

  async #mail(trx: Knex, mails: MailOutbox, recipients: readonly Recipient[]): Promise<void> {
    const people = recipients.map(({ user_id }) => user_id);
    const outbid = recipients.filter((recipient) => recipient.outbid).map(({ user_id }) => user_id);
    const [waiting, lots] = [await readWaiting(trx, people), await readOutbidLots(trx, outbid)];
    const due = dueOf(waiting);
    const invoices = await readWinnerInvoices(trx, due);
    const moment = String(Date.now());
    const letters = recipients.flatMap((recipient) => {
      const own = due.filter(({ user_id }) => user_id === recipient.user_id);
      const site = this.#siteUrl();
      return lettersFor(recipient, own, lots.get(recipient.user_id) ?? [], invoices, { site, moment });
    });
    await mails.put(trx, ...letters);
    await noteOutbidMails(trx, outbid, [...lots.values()]);
    await noteMailed(
      trx,
      people,
      due.map(({ id }) => id),
    );
  }
}

/** What is mailed now: what is due, and what was won in the same sale as something that is. */
function dueOf(waiting: readonly WaitingNotice[]): WaitingNotice[] {
  const saleOf = ({ user_id, auction_id, kind }: WaitingNotice) =>
    auction_id !== null && SALE_KINDS.includes(kind) ? `${user_id}|${auction_id}` : null;
  const sales = new Set(waiting.filter(({ is_due }) => is_due).map(saleOf));
  return waiting.filter((one) => one.is_due || (saleOf(one) !== null && sales.has(saleOf(one))));
}

type PlacedNews = News & { readonly onPage: boolean };

const NEWS = `json_to_recordset(?::json)
  AS n (user_id bigint, kind text, key text, lot_id bigint, data jsonb, on_page boolean, trace text, bid_id text)`;

function jsonOf(news: readonly PlacedNews[]): string {
  return JSON.stringify(
    news.map(({ userId, lot_id, onPage, kind, key, data, trace, bidId }) => ({
      kind,
      key,
      data,
      user_id: userId,
      lot_id,
      on_page: onPage,
      trace,
      bid_id: bidId,
    })),
  );
}

/** The inserted rows, as far as they are needed later. */
type PutRow = Pick<NotificationRow, 'id' | 'user_id' | 'kind' | 'lot_id'> & { readonly key: string };

async function insert(trx: Knex, news: readonly PlacedNews[]): Promise<PutRow[]> {
  // SQL: many as one document.
  const { rows } = await trx.raw<{ rows: PutRow[] }>(
    `INSERT INTO notifications (user_id, kind, key, lot_id, data, on_page, trace, bid_id)
     SELECT user_id, kind, key, lot_id, data, on_page, trace, bid_id FROM ${NEWS}
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
