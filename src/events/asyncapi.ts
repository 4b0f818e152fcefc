/**
 * The AsyncAPI 3 document of the events that go out, printed from their schemas: `/docs/api/asyncapi.json` serves it,
 * and the tests validate what is delivered against it.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { EVENT_PAYLOADS, type EventDescription, TEST_PAYLOAD } from './payloads.schema.ts';

const HEADERS = Type.Object(
  {
    'webhook-id': Type.String({
      description: 'The event’s id, the same on every attempt. Store it to recognize duplicates.',
    }),
    'webhook-timestamp': Type.String({
      pattern: '^[0-9]+$',
      description: 'Unix time of this attempt, in seconds.',
    }),
    'webhook-signature': Type.String({
      pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$',
      description: 'One signature for each valid secret: HMAC-SHA256 over `id.timestamp.body`, base64.',
    }),
  },
  { required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'] },
);

const DESCRIPTION = [
  'Events go to webhook subscriptions by POST, signed as [Standard ' +
    'Webhooks](https://www.standardwebhooks.com) specifies, at least once;',
  'the first attempts for one lot arrive in order. Answer 2xx within 15 seconds. 410 turns the subscription ' +
    'off, and so do five days of',
  'failures. `GET /api/v1/events` lists the same events, for receivers that were unavailable.',
].join(' ');

const ADDRESS = 'subscription';

/** The whole document as a plain object. */
export function asyncApiDocument(): Record<string, unknown> {
  const kinds = Object.entries({ ...EVENT_PAYLOADS, 'webhook.test': TEST_PAYLOAD });
  const messages = Object.fromEntries(kinds.map(([kind, event]) => [kind, messageOf(kind, event)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Rostrum events',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      [ADDRESS]: {
        address: '{url}',
        description: 'The URL of a webhook subscription.',
        parameters: { url: { description: 'The URL of the subscription.' } },
        messages: Object.fromEntries(
          kinds.map(([kind]) => [kind, { $ref: `#/components/messages/${kind}` }]),
        ),
      },
    },
    operations: {
      deliver: {
        action: 'send',
        channel: { $ref: `#/channels/${ADDRESS}` },
        summary: 'Each event is sent to every subscription of the team that includes its kind.',
        messages: kinds.map(([kind]) => ({ $ref: `#/channels/${ADDRESS}/messages/${kind}` })),
      },
    },
    components: { messages, schemas: { DeliveryHeaders: plain(HEADERS) } },
  };
}

function messageOf(kind: string, { summary, data }: EventDescription) {
  return {
    name: kind,
    title: data['title'],
    summary,
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/DeliveryHeaders' },
    payload: plain(eventSchema(kind, data)),
  };
}

/** The body of a delivery of this kind. */
function eventSchema(kind: string, data: TSchema): TSchema {
  return Type.Object({
    type: Type.Literal(kind),
    timestamp: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
      description: 'When it happened: ISO 8601 UTC with microseconds.',
    }),
    data,
  });
}

/** Without the marks that the schema library leaves on its objects. */
function plain(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema));
}
