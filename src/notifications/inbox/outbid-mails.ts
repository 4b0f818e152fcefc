/**
 * Mails about outbid lots. The first goes out at once; what comes soon after it is gathered, and the gap between two
 * mails to one person grows while they keep being outbid, so that a busy evening is a handful of mails and not one for
 * each lot. No mail names a lot that another has named within ten minutes, nor one that the person leads again.
 */

import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import type { DataOf } from '../kinds/kinds.ts';
import { INBOX_ROWS, LAST_MAILED_AT, NOTICE_DATA } from './inbox-rows.ts';

/** What one mail to one person is about. */
export interface OutbidMail {
  readonly userId: number;
  readonly email: string;
  /** Names the mail. */
  readonly key: string;
  /** The newest; the mail names these. */
  readonly lots: readonly OutbidLot[];
  /** How many more there are, up to a bound. */
  readonly more: number;
}

export interface OutbidLot {
  readonly lot_id: number;
  readonly data: DataOf<'outbid'>;
}

const PEOPLE_AT_ONCE = 200;
const MAX_NAMED = 10;
export const MAX_COUNTED = 20;
const FIRST_GAP_SECONDS = 5;
/** Each gap is this many times the one before: after 5 s come 20, 80 and 300. */
const GAP_GROWTH = 4;
const LAST_GAP_SECONDS = 300;
/** After as long without a mail the first gap applies again. */
const QUIET_SECONDS = 600;

/** Notes that these people have been outbid in this transaction and want to be notified by mail. */
export async function awaitOutbidMails(trx: Knex, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  // SQL: one row for each of an array, which wait only where none waits.
  await trx.raw(
    `INSERT INTO outbid_mails AS o (user_id, waits_since, due_at)
     SELECT id, now(), now() FROM unnest(?::bigint[]) AS id ORDER BY id
     ON CONFLICT (user_id) DO UPDATE SET waits_since = excluded.waits_since WHERE o.waits_since IS NULL`,
    [[...new Set(userIds)]],
  );
}

interface DueRow {
  readonly user_id: number;
  readonly email: string;
  readonly times: string;
  readonly id: number | null;
  readonly lot_id: number;
  readonly data: DataOf<'outbid'>;
}

/** Whether a mail is due. */
export async function isOutbidMailDue(knex: Knex): Promise<boolean> {
  const text = 'SELECT user_id FROM outbid_mails WHERE waits_since IS NOT NULL AND due_at <= now() LIMIT 1';
  return (await runPrepared(knex, { text, values: [] })).length > 0;
}

/** Takes the mails that are due, in the transaction that puts them into the mail outbox. */
export async function takeOutbidMails(trx: Knex): Promise<OutbidMail[]> {
  // SQL: takes what nobody else has locked, in one statement. Notices are put in order first and then read with their
  // lots until there are enough for the mail. Each lot by its id: as long as Postgres has no statistics it would rather
  // read all of them, again for each person.
  const { rows } = await trx.raw<{ rows: DueRow[] }>(
    `WITH due AS (
       SELECT user_id, waits_since FROM outbid_mails WHERE waits_since IS NOT NULL AND due_at <= now()
       ORDER BY due_at LIMIT ${PEOPLE_AT_ONCE} FOR UPDATE SKIP LOCKED)
     SELECT d.user_id, u.email, (extract(epoch from now()) * 1000)::bigint AS times, n.id, n.lot_id, n.data
     FROM due d JOIN users u ON u.id = d.user_id LEFT JOIN LATERAL (
       SELECT n.id, n.lot_id, ${NOTICE_DATA} AS data, n.created_at
       FROM (SELECT * FROM ${INBOX_ROWS} n
         WHERE n.user_id = d.user_id AND n.created_at >= d.waits_since AND n.kind = 'outbid'
         ORDER BY n.created_at DESC, n.id DESC OFFSET 0) n
       JOIN LATERAL (SELECT title, status, leader_user_id, auction_id FROM lots WHERE id = n.lot_id OFFSET 0) l ON true
       JOIN LATERAL (SELECT currency FROM auctions WHERE id = l.auction_id OFFSET 0) a ON true
       WHERE l.status = 'active' AND l.leader_user_id IS DISTINCT FROM d.user_id
         AND (${LAST_MAILED_AT} < now() - interval '10 minutes') IS NOT FALSE
       ORDER BY n.created_at DESC, n.id DESC LIMIT ${MAX_NAMED + MAX_COUNTED}) n ON true
     ORDER BY d.user_id, n.created_at DESC, n.id DESC`,
  );
  if (rows.length === 0) return [];
  const byPerson = new Map<number, DueRow[]>();
  for (const row of rows) byPerson.set(row.user_id, [...(byPerson.get(row.user_id) ?? []), row]);
  const people = [...byPerson.values()].map((all) => all.filter(({ id }) => id !== null));
  const mailed = people.filter((lots) => lots.length > 0);
  await noteMailed(trx, [...byPerson.keys()], mailed);
  return mailed.map((lots) => {
    const { user_id: userId, email, times } = firstOf(lots);
    const named = lots.slice(0, MAX_NAMED);
    return {
      userId,
      email,
      key: `outbid-${userId}-${times}`,
      lots: named.map(({ lot_id, data }) => ({ lot_id, data })),
      more: lots.length - named.length,
    };
  });
}

async function noteMailed(
  trx: Knex,
  seen: readonly number[],
  mailed: readonly (readonly DueRow[])[],
): Promise<void> {
  const named = mailed.flatMap((lots) => lots.slice(0, MAX_NAMED));
  const ids = named.flatMap(({ id }) => id ?? []);
  // SQL: lists of any length as one binding, and gaps that grow by an expression.
  await trx.raw('UPDATE notifications SET mailed_at = now() WHERE id = ANY(?::bigint[])', [ids]);
  await trx.raw(
    `UPDATE outbid_notices o SET mailed_at = now()
     FROM unnest(?::bigint[], ?::bigint[]) AS n (user_id, lot_id) WHERE o.user_id = n.user_id AND o.lot_id = n.lot_id`,
    [named.map(({ user_id }) => user_id), named.map(({ lot_id }) => lot_id)],
  );
  const isMore = `mailed_at > now() - interval '${QUIET_SECONDS} seconds'`;
  const grown = `least(gap_seconds * ${GAP_GROWTH}, ${LAST_GAP_SECONDS})`;
  const gap = `CASE WHEN ${isMore} THEN ${grown} ELSE ${FIRST_GAP_SECONDS} END`;
  await trx.raw(
    `UPDATE outbid_mails SET waits_since = NULL, mailed_at = now(), gap_seconds = ${gap},
       due_at = now() + (${gap}) * interval '1 second' WHERE user_id = ANY(?::bigint[])`,
    [mailed.map((lots) => firstOf(lots).user_id)],
  );
  await trx.raw('UPDATE outbid_mails SET waits_since = NULL WHERE user_id = ANY(?::bigint[])', [[...seen]]);
}
