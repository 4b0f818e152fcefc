/**
 * How people want to be told of each kind: on the page, by mail, both or not at all. What nobody chose is as the
 * kinds have it.
 */
import type { Knex } from 'knex';
import { KIND_NAMES, type KindName, NOTIFICATION_KINDS } from './kinds.ts';

export interface Preference {
  readonly page: boolean;
  readonly mail: boolean;
}

export type Preferences = Readonly<Record<KindName, Preference>>;

interface Row {
  readonly user_id: number;
  readonly kind: string;
  readonly on_page: boolean;
  readonly by_mail: boolean;
}

/** Of these people, each with every kind. */
export async function readPreferences(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Preferences>> {
  const rows: Row[] = await knex('notification_preferences').whereRaw('user_id = any(?::bigint[])', [
    [...userIds],
  ]);
  const chosen = new Map(rows.map((row) => [`${row.user_id}|${row.kind}`, row]));
  const of = (userId: number) =>
    Object.fromEntries(
      KIND_NAMES.map((kind) => {
        const row = chosen.get(`${userId}|${kind}`);
        const page = row?.on_page ?? true;
        return [kind, { page, mail: row?.by_mail ?? NOTIFICATION_KINDS[kind].byMail }];
      }),
    ) as Preferences;
  return new Map(userIds.map((userId) => [userId, of(userId)]));
}

/** Changes the kinds that are given; the others stay. */
export async function changePreferences(
  knex: Knex,
  userId: number,
  changes: Readonly<Partial<Record<KindName, Partial<Preference>>>>,
): Promise<Preferences> {
  const before = (await readPreferences(knex, [userId])).get(userId)!;
  const rows = Object.entries(changes).map(([kind, change]) => {
    const { page, mail } = { ...before[kind as KindName], ...change };
    return { user_id: userId, kind, on_page: page, by_mail: mail };
  });
  if (rows.length > 0) {
    await knex('notification_preferences').insert(rows).onConflict(['user_id', 'kind']).merge();
  }
  return (await readPreferences(knex, [userId])).get(userId)!;
}
