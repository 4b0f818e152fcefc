/**
 * Auctions as shown on cards: live, upcoming, just ended, of one seller or of all. Public ones only, with the picture
 * of the first lot that has one. The start page and sellers' pages call it.
 */
import type { Knex } from 'knex';
import { openLotsSql } from '../../catalog/auctions/open-lots.ts';
import { type MediaItem, mediaSql } from '../../catalog/media-presentation.ts';
import type { Language } from '../../shared/language.ts';
import { ENDED_AUCTIONS } from '../../shared/statuses/auction-statuses.ts';
import { inReadersWords, titlesSql } from '../../shared/translations.ts';
import { type Picture, pictureOf } from './lot-card.ts';

export interface AuctionCard {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  readonly type: string;
  readonly status: string;
  readonly start_time: string;
  readonly end_time: string;
  /** How many of its lots are left, once they have begun to close. */
  readonly closing: string | null;
  readonly seller: string;
  readonly lots: number;
  readonly picture: Picture | null;
}

export type AuctionMoment = 'live' | 'starting' | 'ended';

const MOMENTS = {
  live: { statuses: ['active'], column: 'a.end_time', way: 'asc' },
  starting: { statuses: ['scheduled'], column: 'a.start_time', way: 'asc' },
  ended: { statuses: ENDED_AUCTIONS, column: 'a.end_time', way: 'desc' },
} as const;

function auctionsAt(knex: Knex, moment: AuctionMoment) {
  return knex('auctions as a')
    .whereIn('a.status', [...MOMENTS[moment].statuses])
    .where('a.privacy_setting', 'public');
}

/** How many there are. */
export async function countAuctionCards(knex: Knex, moment: AuctionMoment): Promise<number> {
  const row = await auctionsAt(knex, moment).count({ count: '*' }).first();
  return Number(row?.count ?? 0);
}

/** Public auctions at one moment of their life, the nearest first. `page`: from 1, of `limit` each. */
export async function readAuctionCards(
  knex: Knex,
  moment: AuctionMoment,
  limit: number,
  language: Language,
  { teamId = null, page = 1 }: { readonly teamId?: number | null; readonly page?: number } = {},
): Promise<AuctionCard[]> {
  const { column, way } = MOMENTS[moment];
  const query = auctionsAt(knex, moment)
    .join('teams as t', 't.id', 'a.team_id')
    .leftJoin('users as u', 'u.id', 'a.user_id')
    .orderBy([{ column, order: way }, 'a.id'])
    .limit(limit)
    .offset((page - 1) * limit)
    .select(
      'a.id',
      'a.title',
      'a.slug',
      'a.language',
      'a.type',
      'a.status',
      'a.start_time',
      'a.end_time',
      // SQL: name, count and picture alongside each row, in one statement.
      knex.raw(`coalesce(u.name, t.name) as seller, ${titlesSql('a')} as translations`),
      knex.raw(
        `(select count(*)::int from lots l where l.auction_id = a.id and l.published_at is not null) as lots`,
      ),
      knex.raw(`${openLotsSql('a')} as open_lots`),
      knex.raw(`(select ${mediaSql('lot_id', 'p.lot_id', "''")} from media p join lots l on l.id = p.lot_id
        where l.auction_id = a.id and p.kind = 'image' order by l.lot_number, p.position, p.id limit 1) as media`),
    );
  if (teamId !== null) query.where('a.team_id', teamId);
  const rows: (Omit<AuctionCard, 'picture' | 'closing'> & {
    open_lots: number;
    media: MediaItem[] | null;
  })[] = await query;
  return rows.map(({ media, open_lots: open, ...row }) => ({
    ...inReadersWords(row, language),
    closing: closingText({ ...row, endTime: row.end_time, open }),
    picture: pictureOf(media ?? []),
  }));
}

/** `Closing, 14 of 30 lots left`: of a live auction whose lots end by the clock and have begun to; else null. */
export function closingText(auction: {
  readonly status: string;
  readonly type: string;
  readonly endTime: string;
  readonly lots: number;
  readonly open: number;
}): string | null {
  const { status, type, endTime, lots, open } = auction;
  const hasBegun = open < lots || new Date(endTime) < new Date();
  if (status !== 'active' || type === 'simulcast' || open === 0 || !hasBegun) return null;
  return lots === 1 ? 'Closing, 1 of 1 lot left' : `Closing, ${open} of ${lots} lots left`;
}
