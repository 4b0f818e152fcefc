/** Reading people's notifications, and marking them read: what the bell, the page and the API show. */
import type { Knex } from 'knex';
import { fn } from 'objection';
import { firstOf } from '../../../engine/first-of.ts';
import type { NotificationRow } from './inbox.ts';
import { INBOX_ROWS, NOTICE_DATA } from './inbox-rows.ts';
import { Notification, OutbidNotice } from './notification.model.ts';

const COLUMNS = `n.id, n.user_id, n.kind, n.lot_id, n.created_at, n.read_at, ${NOTICE_DATA} AS data`;
const WITH_LOT = 'LEFT JOIN lots l ON l.id = n.lot_id LEFT JOIN auctions a ON a.id = l.auction_id';

export async function countUnread(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // SQL: with every page and every stream, of many people at once.
  const { rows } = await knex.raw<{ rows: { user_id: number; unread: string }[] }>(
    `SELECT user_id, count(*) AS unread FROM ${INBOX_ROWS} n
     WHERE user_id = ANY(?::bigint[]) AND on_page AND read_at IS NULL GROUP BY user_id`,
    [[...userIds]],
  );
  return new Map(rows.map(({ user_id, unread }) => [user_id, Number(unread)]));
}

/** A page of somebody's notifications, the newest first. */
export async function readInbox(
  knex: Knex,
  userId: number,
  {
    page,
    perPage,
    unreadOnly,
  }: { readonly page: number; readonly perPage: number; readonly unreadOnly: boolean },
): Promise<{ rows: NotificationRow[]; total: number }> {
  const condition = `user_id = :userId AND on_page ${unreadOnly ? 'AND read_at IS NULL' : ''}`;
  const values = { userId, perPage, offset: (page - 1) * perPage };
  // SQL: a page over two tables, and only its rows with their lots.
  const { rows } = await knex.raw<{ rows: NotificationRow[] }>(
    `WITH n AS MATERIALIZED (SELECT * FROM ${INBOX_ROWS} n WHERE ${condition}
       ORDER BY created_at DESC, id DESC LIMIT :perPage OFFSET :offset)
     SELECT ${COLUMNS} FROM n ${WITH_LOT} ORDER BY n.created_at DESC, n.id DESC`,
    values,
  );
  const { rows: counted } = await knex.raw<{ rows: { total: string }[] }>(
    `SELECT count(*) AS total FROM ${INBOX_ROWS} n WHERE ${condition}`,
    values,
  );
  return { rows, total: Number(firstOf(counted).total) };
}

/** One of somebody's notifications, whether or not it is on their page. */
export async function findNotice(
  knex: Knex,
  userId: number,
  id: number,
): Promise<NotificationRow | undefined> {
  // SQL: a row of either table.
  const { rows } = await knex.raw<{ rows: NotificationRow[] }>(
    `SELECT ${COLUMNS} FROM ${INBOX_ROWS} n ${WITH_LOT} WHERE n.user_id = ? AND n.id = ?`,
    [userId, id],
  );
  return rows[0];
}

/** Marks these as read, or all of them; those of others stay as they are. */
export async function markRead(knex: Knex, userId: number, ids: readonly number[] | 'all'): Promise<void> {
  const unread = [Notification.query(knex), OutbidNotice.query(knex)] as const;
  for (const query of unread) {
    query.where('user_id', userId).whereNull('read_at');
    if (ids !== 'all') query.whereRaw('id = any(?::bigint[])', [[...ids]]);
    await query.patch({ read_at: fn.now() });
  }
}
