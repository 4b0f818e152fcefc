/** Reading people's notifications, and marking them read: what the bell, the page and the API show. */
import type { Knex } from 'knex';
import { fn } from 'objection';
import type { NotificationRow } from './inbox.ts';
import { Notification } from './notification.model.ts';

export async function countUnread(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // SQL: with every page and every stream, of many people at once.
  const rows: { user_id: number; unread: string }[] = await knex('notifications')
    .whereRaw('user_id = any(?::bigint[]) and on_page and read_at is null', [[...userIds]])
    .groupBy('user_id')
    .select('user_id')
    .count('* as unread');
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
  const query = Notification.query(knex).where({ user_id: userId, on_page: true });
  if (unreadOnly) query.whereNull('read_at');
  const { results: rows, total } = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .page(page - 1, perPage);
  return { rows, total };
}

/** Marks these as read, or all of them; those of others stay as they are. */
export async function markRead(knex: Knex, userId: number, ids: readonly number[] | 'all'): Promise<void> {
  const query = Notification.query(knex).where('user_id', userId).whereNull('read_at');
  if (ids !== 'all') query.whereRaw('id = any(?::bigint[])', [[...ids]]);
  await query.patch({ read_at: fn.now() });
}
