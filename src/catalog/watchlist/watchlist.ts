/** The rows of watchlists. One row per person and lot, whatever runs at once. */

import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { invalid } from '../../shared/refusal.ts';
import { seesLotSql } from '../../shared/visibility/visibility-sql.ts';
import {
  LOT_CATEGORY_JOIN,
  type LotItemRow,
  lotItemColumns,
  lotItemText,
  withLive,
} from '../lots/lot-item.ts';

export interface WatchlistRow {
  readonly id: number;
  readonly lot_id: number;
  readonly created_at: string;
}

/** The most lots that one person watches. */
export const MAX_WATCHED = 2_000;

/** Adds a lot; `added` is false when it was there. Throws 422 where the person watches as many as they may. */
export async function addToWatchlist(
  knex: Knex,
  userId: number,
  lotId: number,
): Promise<{ row: WatchlistRow; added: boolean }> {
  const columns = ['id', 'lot_id', 'created_at'];
  return knex.transaction(async (trx) => {
    // SQL: no builder knows advisory locks; those of one person are added one after the other.
    await trx.raw('SELECT pg_advisory_xact_lock(hashint4(7265737), hashint8(?))', [userId]);
    const own = () => trx('watchlist').where('user_id', userId);
    const there = await own().where('lot_id', lotId).first<WatchlistRow | undefined>(columns);
    if (there !== undefined) return { row: there, added: false };
    const counted: { watched: string }[] = await own().count('* as watched');
    if (Number(firstOf(counted).watched) >= MAX_WATCHED) {
      throw invalid({ lot: [`A watchlist holds ${MAX_WATCHED} lots: take one off first.`] });
    }
    const rows: WatchlistRow[] = await trx('watchlist')
      .insert({ user_id: userId, lot_id: lotId })
      .returning(columns);
    return { row: firstOf(rows), added: true };
  });
}

/** Whether there was something to remove. */
export async function removeFromWatchlist(knex: Knex, userId: number, lotId: number): Promise<boolean> {
  return (await knex('watchlist').where({ user_id: userId, lot_id: lotId }).delete()) > 0;
}

type Row = readonly [...LotItemRow, id: number, createdAt: string, total: number];

/** Where a row has its `total`. */
const TOTAL_AT = 19;

interface WatchlistPage {
  /** Newest first; `lotText` is the lot as lists have it, in JSON. */
  readonly entries: readonly {
    readonly id: number;
    readonly lotId: number;
    readonly createdAt: string;
    readonly lotText: string;
  }[];
  readonly total: number;
  /** The journal is unavailable: the lots are as they were projected. */
  readonly stale: boolean;
}

/** Lots that the person may no longer see stay on the list, hidden. */
export async function readWatchlist(
  knex: Knex,
  journal: Journal,
  userId: number,
  { page, per_page: perPage }: { readonly page: number; readonly per_page: number },
  baseUrl: string,
): Promise<WatchlistPage> {
  const seen = `FROM watchlist w JOIN lots l ON l.id = w.lot_id JOIN auctions a ON a.id = l.auction_id
    ${LOT_CATEGORY_JOIN} WHERE w.user_id = $1::bigint AND ${seesLotSql('$1::bigint')}`;
  const text = `SELECT ${lotItemColumns('$2')}, w.id, w.created_at, count(*) OVER () ${seen}
    ORDER BY w.created_at DESC, w.id DESC LIMIT $3::bigint OFFSET $4::bigint`;
  const values = [userId, baseUrl, perPage, (page - 1) * perPage];
  const rows = await runPrepared<Row>(knex, { text, values });
  const total = rows[0]?.[TOTAL_AT] ?? (page === 1 ? 0 : await countSeen(knex, seen, userId));
  const { kept, stale, nowUs } = await withLive(journal, rows, null);
  const entries = kept.map(({ row, state }) => {
    return { id: row[17], lotId: row[0], createdAt: row[18], lotText: lotItemText(row, state, nowUs) };
  });
  return { entries, total, stale };
}

async function countSeen(knex: Knex, seen: string, userId: number): Promise<number> {
  const rows = await runPrepared<[number]>(knex, { text: `SELECT count(*) ${seen}`, values: [userId] });
  return firstOf(rows)[0];
}
