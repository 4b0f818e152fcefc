/** The caller's notifications by API: the list, marking them read, and how they want to be notified. */

import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { Id, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { invalid } from '../../shared/refusal.ts';
import { KIND_NAMES, notificationText } from '../kinds/kinds.ts';
import { announce, type NotificationRow } from './inbox.ts';
import { countUnread, markRead, readInbox } from './inbox-reading.ts';
import { changePreferences, preferencesOf } from './preferences.ts';

export interface NotificationParts {
  readonly knex: Knex;
  readonly pubSub: Pick<RedisPubSub, 'publish'>;
}

const Kind = oneOf(KIND_NAMES);

const NotificationBody = Type.Object(
  {
    id: Type.Integer(),
    kind: Kind,
    title: Type.String(),
    body: Type.String(),
    url: Type.String({ description: 'The page that it links to.' }),
    lot_id: orNull(Type.Integer()),
    data: Type.Record(Type.String(), Type.Unknown()),
    created_at: Time,
    read_at: orNull(Time),
  },
  { $id: 'Notification' },
);

const Channels = Type.Object({ page: Type.Boolean(), mail: Type.Boolean() });
const PreferencesBody = Type.Object(Object.fromEntries(KIND_NAMES.map((name) => [name, Channels])), {
  $id: 'NotificationPreferences',
});
const PreferenceChanges = Type.Object(
  Object.fromEntries(KIND_NAMES.map((name) => [name, Type.Optional(Type.Partial(Channels))])),
  {
    $id: 'NotificationPreferenceChanges',
    examples: [{ outbid: { page: true, mail: false }, saved_search: { mail: true } }],
  },
);

const ReadBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 500,
      }),
    ),
    all: Type.Optional(Type.Literal(true)),
  },
  { $id: 'ReadNotifications', examples: [{ ids: [17, 18] }, { all: true }] },
);

const PATH = '/api/v1/me/notifications';
const tags = ['Notifications'];
const Unread = Type.Object({ unread: Type.Integer() }, { $id: 'UnreadNotifications' });

export function notificationEndpoints(parts: NotificationParts): Endpoint[] {
  return [list(parts), read(parts), preferences(parts), change(parts)];
}

function list({ knex }: NotificationParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: PATH,
    operationId: 'listNotifications',
    summary: 'The caller’s notifications, the newest first',
    tags,
    access: { kind: 'ability', ability: 'read' },
    query: Type.Object({
      ...pagingQuery,
      unread: Type.Optional(Type.Boolean({ description: 'Only unread notifications.' })),
    }),
    responses: { 200: { description: 'A page of them.', schema: listBody(NotificationBody) } },
    async handle({ principal, query, baseUrl }) {
      const { page, per_page: perPage, unread } = query;
      const paging = { page, perPage, unreadOnly: unread === true };
      const [{ rows, total }, counts] = await Promise.all([
        readInbox(knex, principal.userId, paging),
        countUnread(knex, [principal.userId]),
      ]);
      const data = rows.map((row) => presentNotification(row, baseUrl));
      return listOf(data, { page, perPage, total }, { meta: { unread: counts.get(principal.userId) ?? 0 } });
    },
  });
}

function read({ knex, pubSub }: NotificationParts): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${PATH}/read`,
    operationId: 'readNotifications',
    summary: 'Mark notifications as read',
    description: 'Give `ids`, or `all: true`. Ids of other users’ notifications are ignored.',
    tags,
    access: { kind: 'ability', ability: 'write' },
    body: ReadBody,
    responses: { 200: { description: 'How many remain unread.', schema: bodyOf(Unread) } },
    async handle({ principal, body }) {
      if ((body.ids === undefined) === (body.all === undefined))
        throw invalid({ ids: ['Give either ids or all.'] });
      await markRead(knex, principal.userId, body.ids ?? 'all');
      await announce(pubSub, [principal.userId]).catch(() => undefined);
      const counts = await countUnread(knex, [principal.userId]);
      return success({ unread: counts.get(principal.userId) ?? 0 });
    },
  });
}

function preferences({ knex }: NotificationParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${PATH}/preferences`,
    operationId: 'getNotificationPreferences',
    summary: 'How the caller is notified of each kind of event',
    tags,
    access: { kind: 'ability', ability: 'read' },
    responses: { 200: { description: 'Every kind.', schema: bodyOf(PreferencesBody) } },
    async handle({ principal }) {
      return success(await preferencesOf(knex, principal.userId));
    },
  });
}

function change({ knex }: NotificationParts): Endpoint {
  return endpoint({
    method: 'PUT',
    path: `${PATH}/preferences`,
    operationId: 'changeNotificationPreferences',
    summary: 'Choose how to be notified of each kind of event',
    description: 'Kinds and channels that are not named keep their setting.',
    tags,
    access: { kind: 'ability', ability: 'write' },
    body: PreferenceChanges,
    responses: {
      200: { description: 'The settings of every kind after the change.', schema: bodyOf(PreferencesBody) },
    },
    async handle({ principal, body }) {
      return success(await changePreferences(knex, principal.userId, body));
    },
  });
}

/** A row as the API and the page show it. */
export function presentNotification(row: NotificationRow, baseUrl: string): Static<typeof NotificationBody> {
  const { title, body, path } = notificationText(row);
  return {
    id: row.id,
    kind: row.kind,
    title,
    body,
    url: `${baseUrl}${path}`,
    lot_id: row.lot_id,
    data: { ...row.data },
    created_at: row.created_at,
    read_at: row.read_at,
  };
}
