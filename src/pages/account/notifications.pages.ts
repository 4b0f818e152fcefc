/** One's notifications, how one is notified of each kind, and the account's one stream that the bell follows. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { announce } from '../../notifications/inbox/inbox.ts';
import { findNotice, markRead, readInbox } from '../../notifications/inbox/inbox-reading.ts';
import { presentNotification } from '../../notifications/inbox/notifications.endpoints.ts';
import { changePreferences, forEachKind, preferencesOf } from '../../notifications/inbox/preferences.ts';
import { KIND_NAMES, NOTIFICATION_KINDS, notificationText } from '../../notifications/kinds/kinds.ts';
import type { AccountStreams } from '../../notifications/live/account-streams.ts';
import { Id } from '../../shared/fields.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { PageNumber } from '../lists.ts';
import { PAGE, type Pages, signedIn } from '../page.ts';

export interface NotificationPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly pubSub: Pick<RedisPubSub, 'publish'>;
  readonly streams: AccountStreams;
}

const PATH = '/account/notifications';
const PER_PAGE = 30;
const Ticked = Type.Optional(Type.Literal('1'));
const PreferenceForm = Type.Object(
  Object.fromEntries(
    KIND_NAMES.flatMap((kind) => [
      [`${kind}-page`, Ticked],
      [`${kind}-mail`, Ticked],
    ]),
  ),
);

export function notificationPages(parts: NotificationPageParts): Endpoint[] {
  return [list(parts), readAll(parts), open(parts), choose(parts), stream(parts)];
}

function list({ knex, pages }: NotificationPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'notificationsPage',
    summary: 'The notifications of the session’s user',
    query: Type.Object({
      page: PageNumber,
      saved: Type.Optional(Type.Literal('1')),
    }),
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const { page, saved } = request.query;
        const [{ rows, total }, wishes] = await Promise.all([
          readInbox(knex, who.userId, { page, perPage: PER_PAGE, unreadOnly: false }),
          preferencesOf(knex, who.userId),
        ]);
        const kinds = KIND_NAMES.map((name) => ({ name, ...NOTIFICATION_KINDS[name], ...wishes[name] }));
        const data = {
          notifications: rows.map((row) => ({
            ...presentNotification(row, ''),
            words: notificationText(row).words,
          })),
          kinds,
          page,
          lastPage: lastPageOf({ perPage: PER_PAGE, total }),
          notice: saved === undefined ? null : { kind: 'good', text: 'Your choice has been saved.' },
        };
        return pages.html(request, { title: 'Notifications', template: 'account/notifications', data });
      }),
  });
}

function readAll({ knex, pages, pubSub }: NotificationPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/read`,
    operationId: 'readNotificationsOnPage',
    summary: 'Marks all notifications as read',
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        await markRead(knex, who.userId, 'all');
        await announce(pubSub, [who.userId]).catch(() => undefined);
        return pages.go(PATH);
      }),
  });
}

/** Goes to what a notification is about, and marks it as read on the way. */
function open({ knex, pages, pubSub }: NotificationPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${PATH}/{notification}`,
    operationId: 'openNotification',
    summary: 'Leads to what a notification is about',
    params: Type.Object({ notification: Id }),
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const row = await findNotice(knex, who.userId, request.params.notification);
        if (row === undefined) throw notFound('There is no such notification.');
        await markRead(knex, who.userId, [row.id]);
        await announce(pubSub, [who.userId]).catch(() => undefined);
        return pages.go(presentNotification(row, '').url);
      }),
  });
}

function choose({ knex, pages }: NotificationPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/preferences`,
    operationId: 'chooseNotificationsOnPage',
    summary: 'Chooses which notifications come by email and which on the page',
    body: { form: PreferenceForm },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const ticked: Readonly<Record<string, unknown>> = request.body;
        const changes = forEachKind((kind) => ({
          page: ticked[`${kind}-page`] === '1',
          mail: ticked[`${kind}-mail`] === '1',
        }));
        await changePreferences(knex, who.userId, changes);
        return pages.go(`${PATH}?saved=1#preferences`);
      }),
  });
}

function stream({ streams }: NotificationPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/stream',
    operationId: 'accountStream',
    summary: 'Live news for the session’s user',
    query: Type.Object({ board: Type.Optional(Type.Literal('1')) }),
    responses: { 200: { description: 'The stream.', contentType: 'text/event-stream' } },
    async handle(request) {
      const who = signedIn(request);
      if (who === null) throw notFound();
      return streams.follow(who.userId, request.query.board !== undefined, request.signal);
    },
  });
}
