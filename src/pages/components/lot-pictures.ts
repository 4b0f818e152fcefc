/** The first picture of each of some lots, for lists that read their lots in another way than cards do. */
import type { Knex } from 'knex';
import { type MediaItem, mediaSql } from '../../catalog/media-presentation.ts';
import { type Picture, pictureOf } from './lot-card.ts';

/** By the lots' ids; null where a lot has none. */
export async function readPictures(
  knex: Knex,
  lotIds: readonly number[],
): Promise<ReadonlyMap<number, Picture | null>> {
  // SQL: the list of a lot's media is a statement of its own.
  const { rows } = await knex.raw<{ rows: { id: number; media: MediaItem[] }[] }>(
    `SELECT l.id, ${mediaSql('lot_id', 'l.id', "''")} AS media FROM lots l WHERE l.id = ANY(?::bigint[])`,
    [[...lotIds]],
  );
  return new Map(rows.map(({ id, media }) => [id, pictureOf(media)]));
}
