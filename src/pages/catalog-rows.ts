/**
 * What the catalog's pages show: active public auctions, and one auction with its lots, the live fields laid over from the
 * journal. Plain queries for people's eyes; programs use the API's lists.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../adapters/http/endpoint.ts';
import type { Journal } from '../../engine/actor/journal.ts';
import type { Increment } from '../../engine/auction/increments.ts';
import { type LiveColumns, liveFields, readLive } from '../catalog/lots/live.ts';
import { seesAuction } from '../shared/visibility/visibility.ts';
import {
  type AuctionFactsRow,
  auctionFactsOf,
  auctionFactsSql,
  listsAuctionSql,
  relationOf,
} from '../shared/visibility/visibility-sql.ts';

export const AUCTIONS_PER_PAGE = 12;
export const LOTS_PER_PAGE = 20;

export interface AuctionCard {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly category: string | null;
  readonly seller: string;
  readonly lots: number;
}

/** Active public auctions that end soonest, and how many there are. */
export async function readAuctionCards(
  knex: Knex,
  search: string,
  page: number,
): Promise<{ cards: AuctionCard[]; total: number }> {
  const query = knex('auctions').whereRaw(listsAuctionSql('auctions'));
  if (search !== '') query.whereILike('auctions.title', `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const [counted] = await query.clone().count('* as n');
  const cards = await query
    .leftJoin('categories', 'categories.id', 'auctions.category_id')
    .join('teams', 'teams.id', 'auctions.team_id')
    .orderBy(['auctions.end_time', 'auctions.id'])
    .limit(AUCTIONS_PER_PAGE)
    .offset((page - 1) * AUCTIONS_PER_PAGE)
    .select(
      'auctions.id',
      'auctions.title',
      'auctions.slug',
      'auctions.start_time',
      'auctions.end_time',
      'categories.name as category',
      'teams.name as seller',
      knex.raw(
        `(select count(*)::int from lots l where l.auction_id = auctions.id and l.status = 'active') as lots`,
      ),
    );
  return { cards: cards as AuctionCard[], total: Number(counted?.['n'] ?? 0) };
}

export interface AuctionInFull extends AuctionCard {
  readonly description: string | null;
  readonly status: string;
  readonly currency: string;
  readonly buyer_premium_bps: number;
  readonly team_id: number;
  readonly privacy_setting: string;
  readonly increments: { from_cents: number; increment_cents: number }[] | null;
}

/** An auction by id or slug in any status, where the viewer may see it. */
export async function readAuction(
  knex: Knex,
  idOrSlug: string,
  viewer: Principal | null,
): Promise<AuctionInFull | null> {
  const isId = /^[1-9][0-9]{0,14}$/.test(idOrSlug);
  const row: (AuctionInFull & AuctionFactsRow) | undefined = await knex('auctions as a')
    .leftJoin('categories', 'categories.id', 'a.category_id')
    .join('teams', 'teams.id', 'a.team_id')
    .where(isId ? { 'a.id': Number(idOrSlug) } : { 'a.slug': idOrSlug })
    .first(
      'a.*',
      'categories.name as category',
      'teams.name as seller',
      knex.raw(auctionFactsSql('CAST(:user AS bigint)'), { user: viewer?.userId ?? null }),
    );
  return row !== undefined && seesAuction(auctionFactsOf(row), relationOf(row)) ? row : null;
}

export interface LotCard {
  readonly id: number;
  readonly lotNumber: number;
  readonly title: string;
  readonly acres: string | null;
  readonly place: string;
  readonly live: ReturnType<typeof liveFields>;
}

interface LotColumns extends LiveColumns {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly acres: string | null;
  readonly county: string | null;
  readonly state: string | null;
}

/** A page of an auction's lots by number, drafts left out, and how many there are. */
export async function readLotCards(
  knex: Knex,
  journal: Journal,
  auction: AuctionInFull,
  page: number,
): Promise<{ cards: LotCard[]; total: number; stale: boolean }> {
  const query = knex('lots').where('auction_id', auction.id).whereNot('status', 'draft');
  const [counted] = await query.clone().count('* as n');
  const rows = (await query
    .orderBy('lot_number')
    .limit(LOTS_PER_PAGE)
    .offset((page - 1) * LOTS_PER_PAGE)) as LotColumns[];
  const places = rows.map((row) => ({ lotId: row.id, auctionId: auction.id }));
  const { states, stale } = await readLive(journal, places);
  const times = { ...auction, increments: auction.increments?.map(bandOf) ?? null };
  const cards = rows.map((row) => ({
    id: row.id,
    lotNumber: row.lot_number,
    title: row.title,
    acres: row.acres,
    place: [row.county, row.state].filter((part) => part !== null).join(', '),
    live: liveFields(row, states.get(row.id), times),
  }));
  return { cards, total: Number(counted?.['n'] ?? 0), stale };
}

function bandOf(band: { from_cents: number; increment_cents: number }): Increment {
  return { fromCents: band.from_cents, incrementCents: band.increment_cents };
}
