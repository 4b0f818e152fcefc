/** Browsers that are notified, and the one key pair of this installation. */
import { Type } from '@sinclair/typebox';
import { SQL_ARRAY, shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

const SubscriptionColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  endpoint: Type.String(),
  p256dh: Type.String(),
  auth: Type.String(),
  created_at: Time,
  /** What is older was sent, but for what committed late. */
  notified_until: Time,
  /** Names of what was sent lately. */
  sent: Type.Array(Type.String(), SQL_ARRAY),
  tries: Type.Integer(),
  /** When it is looked after next; null: when there is news. */
  wakes_at: orNull(Time),
});

export class PushSubscriptionRow extends shapedBy('push_subscriptions', SubscriptionColumns) {}

const KeyColumns = Type.Object({
  id: Type.Integer(),
  public_key: Type.String(),
  private_key_sealed: Type.String(),
});

export class PushKeyRow extends shapedBy('push_keys', KeyColumns) {}
