/**
 * The one way to send a mail: `outbox.put(knex, mail)`, in the transaction of whatever causes it. It writes one row and
 * returns; a worker is notified when the transaction commits and does the rest (`mail-delivery.ts`), so that no request
 * waits for a mail server, a mail whose cause is rolled back is never sent, and none is lost with a process or a Redis.
 * The same event is one mail to an address, however often it is put. What a mail says is encrypted until it is sent,
 * and gone then. Where mail is off, `put` does nothing.
 */
import type { Knex } from 'knex';
import type { Language } from '../../shared/language.ts';
import { seal } from '../../shared/sealed.ts';
import { User } from '../models/user.model.ts';
import { escapeHtml, type Letter, letterIn, SENDER } from './letter.ts';
import type { MailKind } from './mail.model.ts';
import { unsubscribeUrl } from './opt-out.ts';

/** One mail. `letter()` makes `subject`, `text` and `html` from paragraphs and a link. */
export interface Mail extends Letter {
  /** Names what the mail is about: `lot-12-won`. 1 to 300 characters, no secret in it. */
  readonly eventKey: string;
  /** One address. */
  readonly to: string;
  readonly kind: MailKind;
  /** What it is about in a word, which it carries as `X-Rostrum-Kind`: `confirm`, `outbid`. */
  readonly about: string;
  /** The trace that it continues with, and the bid that it is about, where there are such. */
  readonly trace?: string | null;
  readonly bidId?: string;
}

/** The part of a mail that is kept encrypted. */
export interface SealedMail extends Omit<Letter, 'parts'> {
  readonly unsubscribeUrl: string | null;
}

export interface MailOutboxOptions {
  /** False: there is nothing to send with. */
  readonly enabled: boolean;
  /** APP_SECRET, the newest first. */
  readonly secrets: readonly [string, ...string[]];
  /** The site's address, without a slash at its end. */
  readonly siteUrl: () => string;
  /** Who runs the site: whom mails are from. */
  readonly sender: (knex: Knex) => Promise<string>;
}

/** Notifies workers of new mails. */
export const MAILS_CHANNEL = 'rostrum_mails';

const MAX_AT_ONCE = 500;

export class MailOutbox {
  readonly enabled: boolean;
  readonly #options: MailOutboxOptions;

  constructor(options: MailOutboxOptions) {
    this.enabled = options.enabled;
    this.#options = options;
  }

  /** Puts mails out, in the caller's transaction where `knex` is one. Returns how many are new and wanted. */
  async put(knex: Knex, ...mails: readonly Mail[]): Promise<number> {
    if (!this.enabled) return 0;
    let put = 0;
    for (let from = 0; from < mails.length; from += MAX_AT_ONCE) {
      put += await this.#insert(knex, mails.slice(from, from + MAX_AT_ONCE));
    }
    return put;
  }

  async #insert(knex: Knex, mails: readonly Mail[]): Promise<number> {
    const sender = await this.#options.sender(knex);
    const languages = await languagesOf(knex, mails);
    const rows = mails.map((mail) => ({
      event_key: mail.eventKey,
      recipient: mail.to,
      kind: mail.kind,
      about: mail.about,
      sealed: seal(
        JSON.stringify(this.#sealedMail(mail, languages.get(mail.to) ?? 'en', sender)),
        this.#options.secrets,
      ),
      trace: mail.trace,
      bid_id: mail.bidId,
    }));
    // SQL: drops those who opted out, inserts and notifies in one statement, which Objection cannot say.
    const { rows: queued } = await knex.raw<{ rows: unknown[] }>(
      `with put as (
         insert into mails (event_key, recipient, kind, about, sealed, trace, bid_id)
         select m.event_key, m.recipient, m.kind, m.about, m.sealed, m.trace, m.bid_id
         from json_to_recordset(?::json)
           as m(event_key text, recipient text, kind text, about text, sealed text, trace text, bid_id text)
         where m.kind = 'security' or not exists (select from mail_opt_outs o where o.email = m.recipient)
         on conflict (event_key, recipient) do nothing returning id)
       select pg_notify(?, '') from put`,
      [JSON.stringify(rows), MAILS_CHANNEL],
    );
    return queued.length;
  }

  #sealedMail(mail: Mail, language: Language, sender: string): SealedMail {
    const { kind, to } = mail;
    const { subject, text, html } = letterIn(language, mail);
    const { siteUrl, secrets } = this.#options;
    const unsubscribe = kind === 'security' ? null : unsubscribeUrl(siteUrl(), to, secrets);
    return {
      subject,
      text: text.replaceAll(SENDER, sender),
      html: html.replaceAll(SENDER, escapeHtml(sender)),
      unsubscribeUrl: unsubscribe,
    };
  }
}

/** The languages of the recipients who read another than English. */
async function languagesOf(knex: Knex, mails: readonly Mail[]): Promise<ReadonlyMap<string, Language>> {
  const addresses = [...new Set(mails.map(({ to }) => to))];
  const readers = await User.query(knex)
    .whereIn('email', addresses)
    .whereNotNull('language')
    .select('email', 'language');
  return new Map(readers.map(({ email, language }) => [email, language ?? 'en']));
}
