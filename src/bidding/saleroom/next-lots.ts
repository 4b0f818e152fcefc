/** The strip of a saleroom's lots that come after the one on the block. */
import type { Knex } from 'knex';
import type { Language } from '../../shared/language.ts';
import { type Translations, titlesSql } from '../../shared/translations.ts';
import { nextOpenLots } from './block.ts';

export interface NextLot {
  readonly id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly language: Language | null;
  readonly translations: Translations;
  readonly thumb_key: string | null;
}

const NEXT_LOTS = 5;

export async function readNextLots(knex: Knex, auctionId: number, lotId: number): Promise<NextLot[]> {
  const ids = await nextOpenLots(knex, auctionId, lotId, NEXT_LOTS);
  const rows = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .whereIn('l.id', ids)
    .select<NextLot[]>(
      ...['l.id', 'l.lot_number', 'l.catalog_number', 'l.title', 'a.language'],
      // SQL: the titles of what else is said.
      knex.raw(`${titlesSql('l')} AS translations`),
      firstThumbnail(knex),
    );
  return ids.flatMap((id) => rows.find((one) => one.id === id) ?? []);
}

/** The first picture of each of `lots l`, for a statement of their rows. */
export function firstThumbnail(knex: Knex): Knex.Raw {
  // SQL: alongside each row.
  return knex.raw(
    `(SELECT m.thumb_key FROM media m WHERE m.lot_id = l.id AND m.kind = 'image'
      ORDER BY m.position, m.id LIMIT 1) AS thumb_key`,
  );
}
