/**
 * Mails about outbid lots. The first goes out at once; what comes soon after it is batched, and the gap between two
 * mails to one person grows while they keep being outbid, so that a busy evening is a handful of mails and not one for
 * each lot. No mail names a lot that another has named within ten minutes, nor one that the person leads again.
 */

import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import type { DataOf } from '../kinds/kinds.ts';
import { INBOX_ROWS, NOTICE_DATA } from './inbox-rows.ts';

/** A lot of one person that a mail names. */
export interface OutbidLot {
  readonly user_id: number;
  readonly id: number;
  readonly lot_id: number;
  readonly data: DataOf<'outbid'>;
}

const MAX_NAMED = 10;
export const MAX_COUNTED = 20;
const FIRST_GAP_SECONDS = 60;
/** Each gap is this many times the one before: after a minute come ten and twenty. */
const GAP_GROWTH = 10;
const LAST_GAP_SECONDS = 1_200;
/** After as long without a mail the first gap applies again. */
const QUIET_SECONDS = 3_600;

/** Notes that these people have been outbid in this transaction and want to be notified by mail. */
export async function awaitOutbidMails(trx: Knex, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  // SQL: one row for each of an array, which wait only where none waits.
  await trx.raw(
    `INSERT INTO mail_recipients AS o (user_id, waits_since, due_at)
     SELECT id, now(), now() FROM unnest(?::bigint[]) AS id ORDER BY id
     ON CONFLICT (user_id) DO UPDATE SET waits_since = excluded.waits_since WHERE o.waits_since IS NULL`,
    [[...new Set(userIds)]],
  );
}

/** The lots that these people are to be told of, by person, the newest first; who has none is left out. */
export async function readOutbidLots(
  trx: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly OutbidLot[]>> {
  if (userIds.length === 0) return new Map();
  // SQL: notices are put in order first and then read with their lots until there are enough for the mail. Each lot by
  // its id: as long as Postgres has no statistics it would rather read all of them, again for each person.
  const { rows } = await trx.raw<{ rows: OutbidLot[] }>(
    `SELECT d.user_id, n.id, n.lot_id, n.data
     FROM mail_recipients d JOIN LATERAL (
       SELECT n.id, n.lot_id, ${NOTICE_DATA} AS data, n.created_at
       FROM (SELECT * FROM ${INBOX_ROWS} n
         WHERE n.user_id = d.user_id AND n.created_at >= d.waits_since AND n.kind = 'outbid'
         ORDER BY n.created_at DESC, n.id DESC OFFSET 0) n
       JOIN LATERAL (SELECT title, translations, status, leader_user_id, auction_id, host_id FROM lots WHERE id = n.lot_id OFFSET 0) l ON true
       JOIN LATERAL (SELECT currency FROM auctions WHERE id = l.auction_id OFFSET 0) a ON true
       WHERE l.status = 'active' AND l.leader_user_id IS DISTINCT FROM d.user_id
         AND (n.mailed_at < now() - interval '10 minutes') IS NOT FALSE
       ORDER BY n.created_at DESC, n.id DESC LIMIT ${MAX_NAMED + MAX_COUNTED}) n ON true
     WHERE d.user_id = ANY(?::bigint[]) ORDER BY d.user_id, n.created_at DESC, n.id DESC`,
    [[...userIds]],
  );
  const byPerson = new Map<number, OutbidLot[]>();
  for (const row of rows) byPerson.set(row.user_id, [...(byPerson.get(row.user_id) ?? []), row]);
  return byPerson;
}

/** Those of somebody's lots that a mail names, and how many more there are. */
export function namedOf(lots: readonly OutbidLot[]): { named: readonly OutbidLot[]; more: number } {
  const named = lots.slice(0, MAX_NAMED);
  return { named, more: lots.length - named.length };
}

/** Notes of those who were read (`seen`) what their mails have named. */
export async function noteOutbidMails(
  trx: Knex,
  seen: readonly number[],
  mailed: readonly (readonly OutbidLot[])[],
): Promise<void> {
  if (seen.length === 0) return;
  const named = mailed.flatMap((lots) => namedOf(lots).named);
  // SQL: lists of any length as one binding, and gaps that grow by an expression.
  await trx.raw('UPDATE notifications SET mailed_at = now() WHERE id = ANY(?::bigint[])', [
    named.map(({ id }) => id),
  ]);
  await trx.raw(
    `UPDATE outbid_notices o SET mailed_at = now()
     FROM unnest(?::bigint[], ?::bigint[]) AS n (user_id, lot_id) WHERE o.user_id = n.user_id AND o.lot_id = n.lot_id`,
    [named.map(({ user_id }) => user_id), named.map(({ lot_id }) => lot_id)],
  );
  const isMore = `mailed_at > now() - interval '${QUIET_SECONDS} seconds'`;
  const grown = `least(gap_seconds * ${GAP_GROWTH}, ${LAST_GAP_SECONDS})`;
  const gap = `CASE WHEN ${isMore} THEN ${grown} ELSE ${FIRST_GAP_SECONDS} END`;
  await trx.raw(
    `UPDATE mail_recipients SET waits_since = NULL, mailed_at = now(), gap_seconds = ${gap},
       due_at = now() + (${gap}) * interval '1 second' WHERE user_id = ANY(?::bigint[])`,
    [mailed.map((lots) => firstOf(lots).user_id)],
  );
  await trx.raw('UPDATE mail_recipients SET waits_since = NULL WHERE user_id = ANY(?::bigint[])', [
    [...seen],
  ]);
}
