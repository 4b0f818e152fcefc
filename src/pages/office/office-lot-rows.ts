/** Lots as the office lists them: of all sellers and in every state, drafts too, each with its auction and its team. */

import type { Knex } from 'knex';
import { hasPartSql, PARTS_SQL } from '../../bidding/records/sale-outcomes.ts';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
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
  /** How it is sold. */
  readonly format: string;
  readonly bid_count: number;
  readonly current_bid_cents: number;
  readonly ends_at: string;
  readonly catalog_number: string | null;
  readonly winner_user_id: number | null;
  readonly leader_user_id: number | null;
  /** Whoever leads or has won is suspended, and staff left the bid to stand. */
  readonly led_by_suspended: boolean;
}

export interface LotSearch {
  readonly q: string;
  readonly status: string;
  readonly auction?: number | undefined;
  readonly leader?: number;
  readonly suspended?: string;
  readonly page: number;
  readonly sort: string;
}

/** What people call a lot by: `12`, `lot 12`, `12A`. */
const NUMBERED = /^(?:lot\s*)?([1-9][0-9]{0,8}[a-z]?)$/i;

/** Name in the address → column. */
const SORTS = { title: 'l.title', bids: 'l.bid_count', current: 'l.current_bid_cents', ends: 'ends_at' };

function lotRows(knex: Knex) {
  return knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .join('teams as t', 't.id', 'a.team_id');
}

const LEADER = 'coalesce(l.winner_user_id, l.leader_user_id)';
const LEFT = "u.suspended_leads = 'left'";
const LED_BY_SUSPENDED = `(EXISTS (SELECT FROM users u WHERE u.id = ${LEADER} AND ${LEFT})
  OR EXISTS (SELECT ${PARTS_SQL} AND EXISTS (SELECT FROM users u WHERE u.id = w.user_id AND ${LEFT})))`;

function workedOut(knex: Knex) {
  return [
    // SQL: columns that are worked out.
    knex.raw('coalesce(l.live_end_time, a.end_time) as ends_at'),
    knex.raw(`${LED_BY_SUSPENDED} as led_by_suspended`),
  ];
}

/** How many calls the clerk took back on a lot, or in a whole sale, by the journals. */
export async function countUndos(
  knex: Knex,
  of: { readonly lotId: number } | { readonly auctionId: number },
): Promise<number> {
  const [column, id] = 'lotId' in of ? ['id', of.lotId] : ['auction_id', of.auctionId];
  // SQL: looks into the entries as they are served.
  const { rows } = await knex.raw<{ rows: { undos: string }[] }>(
    `SELECT count(*) AS undos FROM journal_entries
     WHERE lot_id IN (SELECT id FROM lots WHERE ?? = ?) AND public_text LIKE '%"undone":true%'`,
    [column, id],
  );
  return Number(rows[0]?.undos ?? 0);
}

const COLUMNS = [
  'l.id',
  'l.title',
  'l.slug',
  'l.status',
  'l.lot_number',
  'l.catalog_number',
  'l.winner_user_id',
  'l.leader_user_id',
  'l.auction_id',
  'l.bid_count',
  'l.current_bid_cents',
  'a.title as auction_title',
  'a.status as auction_status',
  'a.team_id',
  't.name as team_name',
  'a.currency',
  'a.format',
];

/** Lots of all sellers, and how many there are. */
export async function searchLots(knex: Knex, search: LotSearch) {
  const { status, auction, leader, suspended, page, sort } = search;
  const q = search.q.trim();
  const query = lotRows(knex);
  if (q !== '') {
    query.where((own) => {
      void own.whereILike('l.title', likeAnywhere(q)).orWhere('l.sku', q);
      if (isNumber(q)) void own.orWhere('l.id', Number(q));
      const number = NUMBERED.exec(q)?.[1];
      if (number === undefined) return;
      void own.orWhereILike('l.catalog_number', number);
      if (isNumber(number)) void own.orWhere('l.lot_number', Number(number));
    });
  }
  if (status !== '') query.where('l.status', status);
  if (auction !== undefined) query.where('l.auction_id', auction);
  if (leader !== undefined) query.whereRaw(`(${LEADER} = ? OR ${hasPartSql('?')})`, [leader, leader]);
  if (suspended === '1') query.whereRaw(LED_BY_SUSPENDED);
  const counted = await query.clone().count<{ n: number }[]>({ n: '*' });
  const rows = await query
    .orderBy(orderOf(sort, SORTS, 'l.id'))
    .offset((page - 1) * PER_PAGE)
    .limit(PER_PAGE)
    // SQL: a column that is worked out.
    .select<LotRow[]>(...COLUMNS, ...workedOut(knex));
  return { rows, total: Number(counted[0]?.n ?? 0) };
}

/** Null where there is none. */
export async function findLotRow(knex: Knex, lotId: number): Promise<LotRow | null> {
  const row = await lotRows(knex)
    .where('l.id', lotId)
    // SQL: a column that is worked out.
    .first<LotRow | undefined>(...COLUMNS, ...workedOut(knex));
  return row ?? null;
}
