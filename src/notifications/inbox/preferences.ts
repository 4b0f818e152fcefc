/**
 * How people want to be notified of each kind: on the page, by mail, both or not at all. What nobody chose is as the
 * kinds have it.
 */
import type { Knex } from 'knex';
import { entryOf } from '../../../engine/first-of.ts';
import { mapValues } from '../../../engine/objects.ts';
import { KIND_NAMES, type KindName, NOTIFICATION_KINDS } from '../kinds/kinds.ts';
import { NotificationPreference } from './notification.model.ts';

export interface Preference {
  readonly page: boolean;
  readonly mail: boolean;
}

export type Preferences = Readonly<Record<KindName, Preference>>;

/** Undefined is what was not named. */
export type PreferenceChanges = {
  readonly [Kind in KindName]?: { readonly [Way in keyof Preference]?: boolean | undefined } | undefined;
};

/** Of these people, each with every kind. */
export async function readPreferences(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Preferences>> {
  const rows = await NotificationPreference.query(knex).whereRaw('user_id = any(?::bigint[])', [
    [...userIds],
  ]);
  const chosen = new Map(rows.map((row) => [`${row.user_id}|${row.kind}`, row]));
  const of = (userId: number) =>
    forEachKind((kind) => {
      const row = chosen.get(`${userId}|${kind}`);
      return { page: row?.on_page ?? true, mail: row?.by_mail ?? NOTIFICATION_KINDS[kind].byMail };
    });
  return new Map(userIds.map((userId) => [userId, of(userId)]));
}

/** One person's. */
export async function preferencesOf(knex: Knex, userId: number): Promise<Preferences> {
  return entryOf(await readPreferences(knex, [userId]), userId);
}

/** A preference for each kind. */
export function forEachKind(preference: (kind: KindName) => Preference): Preferences {
  return mapValues(NOTIFICATION_KINDS, preference);
}

/** Changes the kinds that are given; the others stay. */
export async function changePreferences(
  knex: Knex,
  userId: number,
  changes: PreferenceChanges,
): Promise<Preferences> {
  const before = await preferencesOf(knex, userId);
  const rows = KIND_NAMES.filter((kind) => changes[kind] !== undefined).map((kind) => {
    const { page, mail } = { ...before[kind], ...changes[kind] };
    return { user_id: userId, kind, on_page: page, by_mail: mail };
  });
  if (rows.length > 0) {
    await NotificationPreference.query(knex).insert(rows).onConflict(['user_id', 'kind']).merge();
  }
  return preferencesOf(knex, userId);
}
