/** Lots as the office lists them: of all sellers and in every state, drafts too, each with its auction and its team. */
import type { Knex } from 'knex';
import { likeAnywhere } from '../lists.ts';
import { isNumber, orderOf, PER_PAGE } from './search-list.ts';

export interface LotRow {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  readonly status: string;
  readonly lot_number: number;
  readonly auction_id: number;
  readonly auction_title: string;
  readonly auction_status: string;
  readonly team_id: number;
  readonly team_name: string;
  readonly currency: string;
  readonly bid_count: number;
  readonly current_bid_cents: number;
  readonly ends_at: string;
}

export interface LotSearch {
  readonly q: string;
  readonly status: string;
  readonly auction?: number;
  readonly page: number;
  readonly sort: string;
}

/** Name in the address → column. */
const SORTS = { title: 'l.title', bids: 'l.bid_count', current: 'l.current_bid_cents', ends: 'ends_at' };

function lotRows(knex: Knex) {
  return knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .join('teams as t', 't.id', 'a.team_id');
}

const COLUMNS = [
  'l.id',
  'l.title',
  'l.slug',
  'l.status',
  'l.lot_number',
  'l.auction_id',
  'l.bid_count',
  'l.current_bid_cents',
  'a.title as auction_title',
  'a.status as auction_status',
  'a.team_id',
  't.name as team_name',
  'a.currency',
];

/** Lots of all sellers, and how many there are. */
export async function searchLots(knex: Knex, search: LotSearch) {
  const { status, auction, page, sort } = search;
  const q = search.q.trim();
  const query = lotRows(knex);
  if (q !== '') {
    query.where((own) => {
      void own.whereILike('l.title', likeAnywhere(q)).orWhere('l.sku', q);
      if (isNumber(q)) void own.orWhere('l.id', Number(q));
    });
  }
  if (status !== '') query.where('l.status', status);
  if (auction !== undefined) query.where('l.auction_id', auction);
  const counted = await query.clone().count<{ n: number }[]>({ n: '*' });
  const rows = await query
    .orderBy(orderOf(sort, SORTS, 'l.id'))
    .offset((page - 1) * PER_PAGE)
    .limit(PER_PAGE)
    // SQL: a column that is worked out.
    .select<LotRow[]>(...COLUMNS, knex.raw('coalesce(l.live_end_time, a.end_time) as ends_at'));
  return { rows, total: Number(counted[0]?.n ?? 0) };
}

/** Null where there is none. */
export async function findLotRow(knex: Knex, lotId: number): Promise<LotRow | null> {
  const row = await lotRows(knex)
    .where('l.id', lotId)
    // SQL: a column that is worked out.
    .first<LotRow | undefined>(...COLUMNS, knex.raw('coalesce(l.live_end_time, a.end_time) as ends_at'));
  return row ?? null;
}
