/**
 * How media are shown: the one place that knows a stored file's address. Lists take the JSON that Postgres builds in
 * the same statement as their rows; callers that have a row use `presentMedia`.
 */

import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../shared/fields.schema.ts';
import { type Media, MediaColumns } from './media.model.ts';

export const MediaItem = Type.Object(
  {
    id: Type.Integer(),
    type: MediaColumns.properties.kind,
    url: Type.String(),
    thumbnail_url: orNull(Type.String()),
    medium_url: orNull(Type.String(), {
      description: 'An image at page width; null for documents and until it has been created.',
    }),
    ...Type.Pick(MediaColumns, [
      'file_name',
      'mime_type',
      'size',
      'width',
      'height',
      'position',
      'created_at',
    ]).properties,
  },
  { $id: 'MediaItem' },
);
export type MediaItem = Static<typeof MediaItem>;

/** Under which path files are served; a key follows it unchanged (keys hold only characters that need no escaping). */
export const MEDIA_PATH = '/media/';

/** The address of a stored file, or null where there is none. */
export function mediaUrl(baseUrl: string, fileKey: string): string;
export function mediaUrl(baseUrl: string, fileKey: string | null): string | null;
export function mediaUrl(baseUrl: string, fileKey: string | null): string | null {
  return fileKey === null ? null : `${baseUrl}${MEDIA_PATH}${fileKey}`;
}

export function presentMedia(row: Media, baseUrl: string): MediaItem {
  return {
    id: row.id,
    type: row.kind,
    url: mediaUrl(baseUrl, row.file_key),
    thumbnail_url: mediaUrl(baseUrl, row.thumb_key),
    medium_url: mediaUrl(baseUrl, row.medium_key),
    file_name: row.file_name,
    mime_type: row.mime_type,
    size: row.size,
    width: row.width,
    height: row.height,
    position: row.position,
    created_at: row.created_at,
  };
}

/** Media whose addresses are paths, at this base address. */
export function mediaAt(items: readonly MediaItem[], baseUrl: string): MediaItem[] {
  const at = (path: string | null) => (path === null ? null : baseUrl + path);
  return items.map((item) => ({
    ...item,
    url: baseUrl + item.url,
    thumbnail_url: at(item.thumbnail_url),
    medium_url: at(item.medium_url),
  }));
}

/** A moment as the API prints it, from a `timestamptz` expression. */
export const isoSql = (moment: string): string =>
  `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * SQL for the media of an owner as a JSON list, in order: `mediaSql('lot_id', 'l.id', '$1')`, where `$1` is the base
 * address.
 */
export function mediaSql(column: 'lot_id' | 'auction_id', owner: string, baseUrl: string): string {
  const url = (key: string) => `${baseUrl}::text || '${MEDIA_PATH}' || ${key}`;
  return `(SELECT coalesce(json_agg(json_build_object('id', m.id, 'type', m.kind, 'url', ${url('m.file_key')},
    'thumbnail_url', ${url('m.thumb_key')}, 'medium_url', ${url('m.medium_key')}, 'file_name', m.file_name,
      'mime_type', m.mime_type, 'size', m.size,
    'width', m.width, 'height', m.height, 'position', m.position, 'created_at', ${isoSql('m.created_at')})
    ORDER BY m.position, m.id), '[]'::json) FROM media m WHERE m.${column} = ${owner})`;
}

/** SQL for the key of a lot's first image in small, or null. */
export function thumbnailKeySql(lotId: string): string {
  return `(SELECT coalesce(m.thumb_key, m.file_key) FROM media m
    WHERE m.lot_id = ${lotId} AND m.kind = 'image' ORDER BY m.position, m.id LIMIT 1)`;
}
