/** Web Push by API: our public key, and the caller's browsers that want to be told. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { done, success } from '../../../adapters/http/envelope.ts';
import { Id, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { addSubscription, listSubscriptions, removeSubscription } from '../browsers/push-subscriptions.ts';
import type { PushKeys } from './push-keys.ts';

export interface PushEndpointParts {
  readonly knex: Knex;
  readonly pushKeys: () => Promise<PushKeys>;
  /** Throws 422 under `endpoint` for an address that nothing may be sent to. */
  readonly requireEndpoint: (url: string) => Promise<void>;
}

const Subscription = Type.Object(
  { id: Type.Integer(), endpoint: Type.String(), created_at: Time },
  { $id: 'PushSubscription' },
);

const NewSubscription = Type.Object(
  {
    endpoint: Type.String({ minLength: 1, maxLength: 2_000 }),
    keys: Type.Object({
      p256dh: Type.String({ minLength: 1, maxLength: 200 }),
      auth: Type.String({ minLength: 1, maxLength: 100 }),
    }),
    expirationTime: Type.Optional(
      orNull(Type.Number(), { description: 'As the browser says it; it is not used.' }),
    ),
  },
  {
    $id: 'NewPushSubscription',
    examples: [
      {
        endpoint: 'https://push.example.com/send/abc',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      },
    ],
  },
);

const tags = ['Notifications'];
const PATH = '/api/v1/me/push-subscriptions';

export function pushEndpoints(parts: PushEndpointParts): Endpoint[] {
  return [...keyEndpoints(parts), ...browserEndpoints(parts)];
}

function keyEndpoints({ pushKeys }: PushEndpointParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/push/key',
      operationId: 'getPushKey',
      summary: 'The public key for Web Push',
      description: 'What a browser takes as `applicationServerKey` (RFC 8292), in base64url.',
      tags,
      access: { kind: 'public' },
      responses: {
        200: { description: 'The key.', schema: bodyOf(Type.Object({ public_key: Type.String() })) },
      },
      async handle() {
        return success({ public_key: (await pushKeys()).publicKey });
      },
    }),
  ];
}

function browserEndpoints({ knex, requireEndpoint }: PushEndpointParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'addPushSubscription',
      summary: 'Have a browser told of what is urgent',
      description:
        'Takes what `PushManager.subscribe` gives. The browser is told of being outbid, of watched lots that end ' +
        'soon, of what was won, and of a lot that is three away in the saleroom, unless that kind is switched off ' +
        'on the page: `{kind, title, body, url}`, encrypted (RFC 8291). One that its push service does not know ' +
        'any more (404, 410) is forgotten.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      body: NewSubscription,
      responses: { 201: { description: 'The browser.', schema: bodyOf(Subscription) } },
      async handle({ body, principal }) {
        await requireEndpoint(body.endpoint);
        return success(await addSubscription(knex, principal.userId, body), { status: 201 });
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listPushSubscriptions',
      summary: 'The caller’s browsers that are told',
      tags,
      access: { kind: 'ability', ability: 'read' },
      responses: { 200: { description: 'The browsers.', schema: bodyOf(Type.Array(Subscription)) } },
      async handle({ principal }) {
        return success(await listSubscriptions(knex, principal.userId));
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${PATH}/{subscription}`,
      operationId: 'removePushSubscription',
      summary: 'Tell a browser no more',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: Type.Object({ subscription: Id }),
      responses: {
        200: {
          description: 'The browser is told no more.',
          schema: Type.Object({ success: Type.Literal(true), message: Type.String() }),
        },
      },
      async handle({ params, principal }) {
        const removed = await removeSubscription(knex, principal.userId, params.subscription);
        if (!removed) throw notFound('There is no such browser.');
        return done('The browser is told no more.');
      },
    }),
  ];
}
