/**
 * Who is to be mailed, and when. Nobody gets more than four mails of notifications an hour: what is more waits, and
 * comes as one. What somebody has won in a sale waits until the sale is over, or a quarter of an hour.
 */
import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import type { KindName } from '../kinds/kinds.ts';

const MAX_PER_HOUR = 4;
/** One of the four is kept for what is not about being outbid. */
const MAX_OUTBID_PER_HOUR = 3;
const PEOPLE_AT_ONCE = 200;
const NOTICES_AT_ONCE = 200;
const SALE_WAITS_SECONDS = 900;
/** The last lot's invoice is there a moment after its close. */
const SETTLES_SECONDS = 3;

/** Those that wait for their sale. */
export const SALE_KINDS: readonly KindName[] = ['won', 'invoice'];

/** Somebody for whom something is due, and what they may get. */
export interface Recipient {
  readonly user_id: number;
  readonly email: string;
  /** How many mails they may get now: at least 1. */
  readonly allowed: number;
  /** The mail about lots that they are outbid on is due. */
  readonly outbid: boolean;
}

/** A notification that waits to be mailed. */
export interface WaitingNotice {
  readonly id: number;
  readonly user_id: number;
  readonly kind: KindName;
  readonly lot_id: number | null;
  readonly auction_id: number | null;
  readonly sale: string | null;
  readonly data: object;
  readonly trace: string | null;
  readonly bid_id: string | null;
  readonly is_due: boolean;
}

/** Notes that these notifications, each of its person, are to be mailed. */
export async function awaitMails(trx: Knex, noticeIds: readonly number[]): Promise<void> {
  if (noticeIds.length === 0) return;
  // SQL: marks many and wakes whom they concern, in one statement.
  await trx.raw(
    `WITH waiting AS (
       UPDATE notifications SET mail_after = now() + CASE
         WHEN kind = ANY(:saleKinds) AND lot_id IS NOT NULL THEN interval '${SALE_WAITS_SECONDS} seconds'
         ELSE interval '0' END
       WHERE id = ANY(:noticeIds::bigint[]) RETURNING user_id, mail_after)
     INSERT INTO mail_recipients AS t (user_id, due_at, wakes_at)
     SELECT user_id, now(), min(mail_after) FROM waiting GROUP BY user_id ORDER BY user_id
     ON CONFLICT (user_id) DO UPDATE SET wakes_at = least(t.wakes_at, excluded.wakes_at)`,
    { noticeIds: [...noticeIds], saleKinds: [...SALE_KINDS] },
  );
}

/** Wakes those whose sale has ended before they had waited for it long enough. */
export async function wakeEndedSales(knex: Knex): Promise<void> {
  await runPrepared(knex, {
    text: `WITH over AS (
        UPDATE notifications n SET mail_after = now() FROM lots l
        WHERE l.id = n.lot_id AND n.mail_after > now() AND n.created_at < now() - interval '${SETTLES_SECONDS} seconds'
          AND NOT EXISTS (SELECT FROM lots o WHERE o.auction_id = l.auction_id AND o.status IN ${OPEN_LOT_SQL})
        RETURNING n.user_id)
      UPDATE mail_recipients SET wakes_at = now() WHERE user_id IN (SELECT user_id FROM over)`,
    values: [],
  });
}

const IS_DUE = '((waits_since IS NOT NULL AND due_at <= now()) OR wakes_at <= now())';

/** Whether a mail is due. */
export async function isAnyMailDue(knex: Knex): Promise<boolean> {
  const text = `SELECT user_id FROM mail_recipients WHERE ${IS_DUE} LIMIT 1`;
  return (await runPrepared(knex, { text, values: [] })).length > 0;
}

interface RecipientRow {
  readonly user_id: number;
  readonly email: string;
  readonly outbid: boolean;
  /** When the newest four mails of the last hour were put out, the newest first; ISO 8601. */
  readonly recent: readonly string[];
}

/** Takes whom a mail is due to, in the transaction that puts it out; who must wait longer is left out. */
export async function takeRecipients(trx: Knex): Promise<Recipient[]> {
  // SQL: takes what nobody else has locked, with what each person got in the last hour, in one statement.
  const { rows } = await trx.raw<{ rows: RecipientRow[] }>(
    `WITH due AS (
       SELECT user_id, waits_since IS NOT NULL AND due_at <= now() AS outbid FROM mail_recipients WHERE ${IS_DUE}
       ORDER BY least(due_at, wakes_at) LIMIT ${PEOPLE_AT_ONCE} FOR UPDATE SKIP LOCKED)
     SELECT d.user_id, d.outbid, u.email, to_jsonb(ARRAY(
       SELECT m.created_at FROM mails m WHERE m.recipient = u.email AND m.kind = 'notification'
         AND m.about IS DISTINCT FROM 'invitation' AND m.created_at > now() - interval '1 hour'
       ORDER BY m.created_at DESC LIMIT ${MAX_PER_HOUR})) AS recent
     FROM due d JOIN users u ON u.id = d.user_id ORDER BY d.user_id`,
  );
  /** Until the last of so many mails is an hour old. */
  const wait = (column: 'due_at' | 'wakes_at', max: number, some: readonly RecipientRow[]) =>
    trx.raw(
      `UPDATE mail_recipients t SET ${column} = n.sent_at + interval '1 hour'
       FROM unnest(?::bigint[], ?::timestamptz[]) AS n (user_id, sent_at)
       WHERE t.user_id = n.user_id AND t.${column} IS NOT NULL`,
      [some.map(({ user_id }) => user_id), some.map(({ recent }) => itemAt(recent, max - 1))],
    );
  const full = rows.filter(({ recent }) => recent.length >= MAX_PER_HOUR);
  const rest = rows.filter((row) => !full.includes(row));
  const noOutbid = rest.filter(({ outbid, recent }) => outbid && recent.length >= MAX_OUTBID_PER_HOUR);
  for (const column of ['due_at', 'wakes_at'] as const)
    if (full.length > 0) await wait(column, MAX_PER_HOUR, full);
  if (noOutbid.length > 0) await wait('due_at', MAX_OUTBID_PER_HOUR, noOutbid);
  return rest.map((row) => ({
    user_id: row.user_id,
    email: row.email,
    allowed: MAX_PER_HOUR - row.recent.length,
    outbid: row.outbid && !noOutbid.includes(row),
  }));
}

/** What waits to be mailed to these people, the oldest first. */
export async function readWaiting(trx: Knex, userIds: readonly number[]): Promise<WaitingNotice[]> {
  // SQL: so many of each person.
  const { rows } = await trx.raw<{ rows: WaitingNotice[] }>(
    `SELECT n.id, n.user_id, n.kind, n.lot_id, n.data, n.trace, n.bid_id, n.mail_after <= now() AS is_due,
       l.auction_id, a.title AS sale
     FROM unnest(?::bigint[]) AS u (id) CROSS JOIN LATERAL (
       SELECT * FROM notifications WHERE user_id = u.id AND mail_after IS NOT NULL
       ORDER BY mail_after, id LIMIT ${NOTICES_AT_ONCE}) n
     LEFT JOIN lots l ON l.id = n.lot_id LEFT JOIN auctions a ON a.id = l.auction_id
     ORDER BY n.user_id, n.id`,
    [[...userIds]],
  );
  return rows;
}

/** Notes that these notifications were mailed, and when each of the people is woken for what still waits. */
export async function noteMailed(
  trx: Knex,
  userIds: readonly number[],
  noticeIds: readonly number[],
): Promise<void> {
  // SQL: lists of any length as one binding.
  await trx.raw('UPDATE notifications SET mailed_at = now(), mail_after = NULL WHERE id = ANY(?::bigint[])', [
    [...noticeIds],
  ]);
  await trx.raw(
    `UPDATE mail_recipients t SET wakes_at = (
       SELECT min(mail_after) FROM notifications n WHERE n.user_id = t.user_id AND n.mail_after IS NOT NULL)
     WHERE t.user_id = ANY(?::bigint[])`,
    [[...userIds]],
  );
}
