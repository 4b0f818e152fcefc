/** A row of `media`: one stored file of a lot or an auction, its smaller pictures, and its place among the others. */
import { Row } from '../../adapters/postgres/model.ts';

export class Media extends Row {
  static override tableName = 'media';

  /** Exactly one of `lot_id` and `auction_id` is set. */
  declare lot_id: number | null;
  declare auction_id: number | null;
  declare position: number;
  declare kind: 'image' | 'document';
  declare file_key: string;
  declare thumb_key: string | null;
  declare medium_key: string | null;
  declare file_name: string;
  declare mime_type: string;
  /** Bytes. */
  declare size: number;
  /** Pixels; null for documents. */
  declare width: number | null;
  declare height: number | null;
  declare created_at: string;
  declare uploaded_by: number | null;
}
