/** A row of `media`: one stored file of a lot or an auction, its smaller pictures, and its place among the others. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../shared/fields.schema.ts';

export const MediaColumns = Type.Object({
  id: Type.Integer(),
  /** Exactly one of `lot_id`, `auction_id` and `kept_lot_id` is set. */
  lot_id: orNull(Type.Integer()),
  auction_id: orNull(Type.Integer()),
  /** The lot that it belongs to without being shown: an amendment is to name it, or has taken it out. */
  kept_lot_id: orNull(Type.Integer()),
  /** Whether it was ever shown with its lot. */
  was_shown: Type.Boolean(),
  /** Its lot's or auction's; the database sees to it. */
  team_id: Type.Integer(),
  position: Type.Integer(),
  kind: oneOf(['image', 'document']),
  file_key: Type.String(),
  thumb_key: orNull(Type.String()),
  medium_key: orNull(Type.String()),
  file_name: Type.String(),
  mime_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  /** Pixels; null for documents. */
  width: orNull(Type.Integer()),
  height: orNull(Type.Integer()),
  created_at: Time,
  uploaded_by: orNull(Type.Integer()),
});

export class Media extends shapedBy('media', MediaColumns) {}
