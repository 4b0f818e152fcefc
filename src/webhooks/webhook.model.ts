/** Webhook subscriptions of teams and platforms, and the log of what was sent to them. */
import { Type } from '@sinclair/typebox';
import { belongsTo, SQL_ARRAY, shapedBy } from '../../adapters/postgres/model.ts';
import { EVENT_KINDS } from '../events/event-names.ts';
import { oneOf, orNull } from '../shared/fields.schema.ts';

const SubscriptionColumns = Type.Object({
  id: Type.Integer(),
  /** Null for a platform's. */
  team_id: orNull(Type.Integer()),
  platform: orNull(Type.String()),
  url: Type.String(),
  /** `*` means all kinds. */
  events: Type.Array(oneOf(['*', ...EVENT_KINDS]), SQL_ARRAY),
  description: orNull(Type.String()),
  is_active: Type.Boolean(),
  disabled_reason: orNull(oneOf(['gone', 'failing'])),
  /** Null for a platform's, which is signed with the platform's own. */
  sealed_secret: orNull(Type.String()),
  previous_sealed_secret: orNull(Type.String()),
  previous_valid_until: orNull(Type.String()),
  cursor_tx: Type.String(),
  cursor_id: Type.Integer(),
  failing_since: orNull(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
});

export class WebhookSubscription extends shapedBy('webhook_subscriptions', SubscriptionColumns) {}

export const DeliveryStatusSchema = oneOf(['pending', 'success', 'failed', 'exhausted']);

const DeliveryColumns = Type.Object({
  id: Type.Integer(),
  subscription_id: Type.Integer(),
  origin: oneOf(['event', 'test', 'redelivery']),
  event_id: Type.String(),
  event: Type.String(),
  /** The stored fact; null where the body is kept here. */
  event_row: orNull(Type.Integer()),
  body: orNull(Type.String()),
  attempt: Type.Integer(),
  status: DeliveryStatusSchema,
  response_status: orNull(Type.Integer()),
  response_body: orNull(Type.String()),
  error: orNull(Type.String()),
  duration_ms: orNull(Type.Integer()),
  next_attempt_at: orNull(Type.String()),
  created_at: Type.String(),
});

export class WebhookDelivery extends shapedBy('webhook_deliveries', DeliveryColumns) {
  declare subscription?: WebhookSubscription;

  static override relationMappings = () => ({
    subscription: belongsTo(WebhookSubscription, 'webhook_deliveries.subscription_id'),
  });
}
