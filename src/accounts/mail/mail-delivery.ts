/**
 * Sending what the outbox holds, as a worker does it: one mail per call, any number of times. A mail is marked only
 * after the server has taken it, so a reply that is lost has it sent again, under the same `Message-ID`.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { MailRefused, type MailTransport, type OutgoingMail } from '../../../adapters/mail/transport.ts';
import type { Tracing } from '../../../adapters/tracing/tracing.ts';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
import { readOfficeSetting } from '../../shared/operator.ts';
import { NotUnsealable, unseal } from '../../shared/sealed.ts';
import { MailRow } from './mail.model.ts';
import type { SealedMail } from './mail-outbox.ts';

export interface DeliveryParts {
  readonly knex: Knex;
  readonly transport: MailTransport;
  /** As `MAIL_FROM` gives it: `Rostrum <mail@example.com>`. What the office says counts before it. */
  readonly from: string;
  readonly secrets: readonly string[];
  readonly tracing: Tracing | null;
  /** Called for each mail that the server has accepted. */
  readonly onSent: (mail: SentMail) => void;
}

/** A mail by its number, and the bid that it is about, where it is about one. */
export interface SentMail {
  readonly mail: number;
  readonly bid: string | undefined;
}

/** A mail's outcome: `gone` if it was already sent, given up or removed. */
export type MailOutcome = 'sent' | 'refused' | 'gone';

/** Sends one mail. Throws where it is worth trying again. */
export async function deliverMail(parts: DeliveryParts, id: number): Promise<MailOutcome> {
  const { knex, tracing } = parts;
  const row = await MailRow.query(knex).findById(id).whereNull('sent_at').whereNull('failed_at');
  if (row === undefined) return 'gone';
  const { trace, kind, bid_id: bid } = row;
  const about = {
    'rostrum.mail': id,
    'rostrum.mail_kind': kind,
    ...(bid === null ? {} : { 'rostrum.bid_id': bid }),
  };
  const span =
    tracing === null || trace === null
      ? null
      : tracing.begin('mail', { parent: trace, kind: 'client', attributes: about });
  try {
    const from = await readOfficeSetting(knex, 'mail_from');
    await parts.transport.send({ ...outgoingMail(parts, row, span?.context ?? null), ...(from && { from }) });
    span?.end();
  } catch (error) {
    span?.end({}, 'not taken');
    if (!(error instanceof MailRefused || error instanceof NotUnsealable)) throw error;
    await giveUpMail(knex, id, error.message);
    return 'refused';
  }
  await MailRow.query(knex)
    .findById(id)
    .patch({ sent_at: raw('now()'), sealed: null });
  parts.onSent({ mail: id, bid: bid ?? undefined });
  return 'sent';
}

/** Marks a mail as one that is not retried; what it said goes. */
export async function giveUpMail(knex: Knex, id: number, error: string): Promise<void> {
  await MailRow.query(knex)
    .findById(id)
    .whereNull('sent_at')
    .patch({ failed_at: raw('now()'), error: error.slice(0, 500), sealed: null });
}

/** The mails that wait behind one of them, oldest first. */
export async function waitingMails(knex: Knex, afterId: number, limit: number): Promise<number[]> {
  const rows = await MailRow.query(knex)
    .where('id', '>', afterId)
    .whereNull('sent_at')
    .whereNull('failed_at')
    .orderBy('id')
    .limit(limit)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Mails of the last week that were given up, the oldest first, and how many there are. */
export async function failedMails(knex: Knex, limit: number): Promise<{ rows: MailRow[]; total: number }> {
  const { results, total } = await MailRow.query(knex)
    .whereRaw("failed_at > now() - interval '7 days'")
    .orderBy('failed_at')
    .page(0, limit);
  return { rows: results, total };
}

/** How far a mail is. */
export function mailState({ sent_at, failed_at }: MailRow): 'waiting' | 'sent' | 'failed' {
  return failed_at !== null ? 'failed' : sent_at === null ? 'waiting' : 'sent';
}

/** Mails by a part of the address or of what they are about, the newest first, and how many there are. */
export async function searchMails(
  knex: Knex,
  q: string,
  limit: number,
): Promise<{ rows: MailRow[]; total: number }> {
  const { results, total } = await MailRow.query(knex)
    .whereILike('recipient', likeAnywhere(q))
    .orWhereILike('about', likeAnywhere(q.replaceAll(' ', '_')))
    .orderBy('created_at', 'desc')
    .page(0, limit);
  return { rows: results, total };
}

const KEPT = "interval '30 days'";

/** Forgets mails of long ago; an event is not mailed about again after that time. */
export async function tidyMails(knex: Knex): Promise<number> {
  return MailRow.query(knex).whereRaw(`created_at < now() - ${KEPT}`).delete();
}

/** `trace`: what a receiver that follows traces continues with. */
function outgoingMail({ from, secrets }: DeliveryParts, row: MailRow, trace: string | null): OutgoingMail {
  const { subject, text, html, unsubscribeUrl }: SealedMail = JSON.parse(unseal(row.sealed ?? '', secrets));
  const domain = /@([^>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    to: row.recipient,
    subject,
    text,
    html,
    messageId: `<${eventDigest(row)}@${domain}>`,
    date: new Date(row.created_at),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Rostrum-Kind': row.about ?? row.kind,
      ...unsubscribeHeaders(unsubscribeUrl),
      ...(trace === null ? {} : { traceparent: trace }),
    },
    fileName: `${row.created_at.replaceAll(/[^0-9TZ]/g, '')}-${String(row.id).padStart(9, '0')}`,
  };
}

function eventDigest({ event_key, recipient }: MailRow): string {
  return createHash('sha256').update(`${event_key}\n${recipient}`).digest('base64url').slice(0, 32);
}

function unsubscribeHeaders(url: string | null): Record<string, string> {
  if (url === null) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
