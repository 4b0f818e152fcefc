/** A row of `media`: one stored file of a lot or an auction, its smaller pictures, and its place among the others. */
import { type Static, Type } from '@sinclair/typebox';
import { shapedBy } from '../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../shared/fields.schema.ts';

const Part = Type.Number({ minimum: 0, maximum: 1 });

/** How a picture is made from its original: turned first, then cropped. */
export const PictureEdit = Type.Object(
  {
    turn: Type.Union([Type.Literal(0), Type.Literal(90), Type.Literal(180), Type.Literal(270)], {
      description: 'Degrees clockwise.',
    }),
    crop: orNull(
      Type.Object({ left: Part, top: Part, width: Part, height: Part }, { additionalProperties: false }),
      { description: 'What is kept, in parts of the turned picture’s width and height; null: all of it.' },
    ),
  },
  {
    $id: 'PictureEdit',
    additionalProperties: false,
    examples: [{ turn: 90, crop: { left: 0.1, top: 0, width: 0.8, height: 1 } }],
  },
);
export type PictureEdit = Static<typeof PictureEdit>;

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
  /** Of a picture that was turned or cropped the file that it is made from. */
  original_key: orNull(Type.String()),
  edit: orNull(PictureEdit),
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
