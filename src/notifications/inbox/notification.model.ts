/** Notifications to people, and how they want to be notified of each kind. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { type DataOf, KIND_NAMES, type KindName } from '../kinds/kinds.ts';

const NotificationColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  kind: oneOf(KIND_NAMES),
  key: Type.String(),
  lot_id: orNull(Type.Integer()),
  data: Type.Unsafe<DataOf<KindName>>(Type.Object({})),
  on_page: Type.Boolean(),
  created_at: Type.String(),
  read_at: orNull(Type.String()),
  mailed_at: orNull(Type.String()),
});

export class Notification extends shapedBy('notifications', NotificationColumns) {}

const OutbidColumns = Type.Object({
  user_id: Type.Integer(),
  lot_id: Type.Integer(),
  id: Type.Integer(),
  current_bid_cents: Type.Integer(),
  created_at: Type.String(),
  read_at: orNull(Type.String()),
  mailed_at: orNull(Type.String()),
  on_page: Type.Boolean(),
});

/** That somebody is outbid on a lot; the rest is read with the lot. */
export class OutbidNotice extends shapedBy('outbid_notices', OutbidColumns, ['user_id', 'lot_id']) {}

const PreferenceColumns = Type.Object({
  user_id: Type.Integer(),
  kind: Type.String(),
  on_page: Type.Boolean(),
  by_mail: Type.Boolean(),
});

export class NotificationPreference extends shapedBy('notification_preferences', PreferenceColumns, [
  'user_id',
  'kind',
]) {}
