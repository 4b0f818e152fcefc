/** The shapes of webhook subscriptions and deliveries, as requests and answers have them. */
import { type TSchema, Type } from '@sinclair/typebox';
import { EVENT_KINDS } from '../events/event-names.ts';
import { Id, nullable, oneOf, text } from '../shared/fields.schema.ts';
import type { DeliveryRow } from './deliveries.ts';
import { DeliveryStatusSchema } from './webhook.model.ts';
import type { SubscriptionRow } from './webhook-subscriptions.ts';

const EventName = oneOf(['*' as const, ...EVENT_KINDS], {
  'x-message': 'must be a known kind of event, or "*" for all',
});

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'An https URL without credentials that leads to a public address.',
  'x-message': 'must be a URL of at most 2000 characters',
});
const Events = Type.Array(EventName, { minItems: 1, maxItems: 50, description: '`*` means all kinds.' });
const Description = nullable(text(500));

export const NewSubscriptionBody = Type.Object(
  { url: Url, events: Events, description: Type.Optional(Description) },
  { additionalProperties: false },
);

export const SubscriptionChangeBody = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    is_active: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const SHOWN = {
  id: Type.Integer(),
  team_id: Type.Integer(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: nullable(Type.String()),
  is_active: Type.Boolean(),
  disabled_reason: nullable(
    Type.String({
      description: 'Why it was turned off automatically: `gone` (410) or `failing` (five days of failures).',
    }),
  ),
  failing_since: nullable(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
};

export const Subscription = Type.Object(SHOWN, { $id: 'WebhookSubscription' });

export const SubscriptionWithSecret = Type.Object(
  {
    ...SHOWN,
    secret: nullable(
      Type.String({
        description: '`whsec_…`, shown only once and only to owners and admins of the team; null for others.',
      }),
    ),
    previous_secret_valid_until: nullable(Type.String()),
  },
  { $id: 'WebhookSubscriptionWithSecret' },
);

export const Delivery = Type.Object(
  {
    id: Type.Integer(),
    event_id: Type.String({ description: 'The same as `webhook-id`.' }),
    event: Type.String(),
    attempt: Type.Integer({ description: 'The number of attempts.' }),
    status: DeliveryStatusSchema,
    response_status: nullable(Type.Integer()),
    response_body: nullable(Type.String({ description: 'The first KiB of the body.' })),
    error: nullable(Type.String({ description: 'Why there was no answer.' })),
    duration_ms: nullable(Type.Integer()),
    next_attempt_at: nullable(Type.String()),
    created_at: Type.String(),
  },
  { $id: 'WebhookDelivery' },
);

export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 15 })),
});

const id = Id;
export const SubscriptionParams = Type.Object({ id });
export const DeliveryParams = Type.Object({ id, delivery: id });

const Meta = Type.Object({
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
});

export const one = (schema: TSchema) => Type.Object({ success: Type.Literal(true), data: schema });
export const many = (schema: TSchema) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(schema), meta: Meta });

export const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function presentSubscription(row: SubscriptionRow) {
  const { previous_valid_until: _until, ...shown } = row;
  return shown;
}

export function presentDelivery(row: DeliveryRow): DeliveryRow {
  return row;
}
