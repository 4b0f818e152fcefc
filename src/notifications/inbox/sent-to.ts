/** What was sent to somebody, for staff: mails by what they were about, and notices by their titles. */
import type { Knex } from 'knex';
import { MailRow } from '../../accounts/mail/mail.model.ts';
import { mailState } from '../../accounts/mail/mail-delivery.ts';
import { NOTIFICATION_KINDS, notificationText } from '../kinds/kinds.ts';
import { readInbox } from './inbox-reading.ts';

/** Nothing of it opens anything: no link, no code, no secret. */
export interface SentMessage {
  readonly at: string;
  readonly by: 'mail' | 'notice';
  /** What kind it is, in words. */
  readonly kind: string;
  /** What it says in one line; of a mail nothing is kept. */
  readonly title: string | null;
  readonly lotId: number | null;
  readonly state: 'waiting' | 'sent' | 'failed' | 'read' | 'unread';
  readonly error: string | null;
}

interface Addressee {
  readonly id: number;
  readonly email: string;
}

/** The newest of both, at most `limit` of them, and how many there are. */
export async function sentTo(
  knex: Knex,
  { id, email }: Addressee,
  limit: number,
): Promise<{ rows: SentMessage[]; total: number }> {
  const mails = (kind: MailRow['kind']) =>
    MailRow.query(knex).where({ recipient: email, kind }).orderBy('created_at', 'desc').page(0, limit);
  const [notices, security, others] = await Promise.all([
    readInbox(knex, id, { page: 1, perPage: limit, unreadOnly: false }),
    mails('security'),
    mails('notification'),
  ]);
  const rows = [
    ...[...security.results, ...others.results].map(ofMail),
    ...notices.rows.map((row): SentMessage => {
      const { title } = notificationText(row);
      const { label } = NOTIFICATION_KINDS[row.kind];
      const state = row.read_at === null ? 'unread' : 'read';
      return { at: row.created_at, by: 'notice', kind: label, title, lotId: row.lot_id, state, error: null };
    }),
  ];
  return {
    rows: rows.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, limit),
    total: notices.total + security.total + others.total,
  };
}

function ofMail(mail: MailRow): SentMessage {
  const { created_at, about, kind, error } = mail;
  const state = mailState(mail);
  const known: Readonly<Record<string, { readonly label: string }>> = NOTIFICATION_KINDS;
  const words = known[about ?? '']?.label ?? (about ?? kind).replaceAll('_', ' ');
  return { at: created_at, by: 'mail', kind: words, title: null, lotId: null, state, error };
}
