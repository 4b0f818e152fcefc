/** A team's lots as their seller sees them: in any state, with the reserve, and live fields laid over. */
import type { Knex } from 'knex';
import type { Paging } from '../../adapters/http/envelope.ts';
import type { Journal } from '../../engine/journal.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { formatCents } from '../../engine/money.ts';
import { ShortCache } from '../catalog/short-cache.ts';
import { liveFields, readLive } from '../lots/live.ts';
import { bandOf, type DetailRow, plainFields } from '../lots/lot-detail.ts';
import { mediaSql } from '../media/media-presentation.ts';

export interface ViewParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'load'>;
}

interface Row extends DetailRow {
  readonly created_at: string;
}

export interface SellerLotPage {
  readonly rows: readonly unknown[];
  readonly paging: Paging;
  readonly stale: boolean;
}

export interface SellerLotQuery {
  readonly page: number;
  readonly per_page: number;
  readonly auction_id?: number;
  readonly status?: string;
}

/** Totals from here on are counted anew only now and then; those below are always exact. */
const LARGE_TOTAL = 1_000;
const REMEMBERED_MS = 10_000;

/** Pages of teams' lots, for one process. */
export class SellerLotLists {
  readonly #parts: ViewParts;
  readonly #totals = new ShortCache<number>(REMEMBERED_MS, 1_000);

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  /** A page of the team's lots, newest first. */
  async read(teamId: number, query: SellerLotQuery, baseUrl: string): Promise<SellerLotPage> {
    const { page, per_page: perPage, auction_id: auctionId, status } = query;
    const offset = (page - 1) * perPage;
    const total = this.#totals.get(
      JSON.stringify([teamId, auctionId, status]),
      () => this.#count(teamId, query),
      (counted) => (counted < LARGE_TOTAL ? 0 : REMEMBERED_MS),
    );
    const picked = this.#wanted(teamId, query)
      .select('l.id')
      .orderBy('l.id', 'desc')
      .limit(perPage)
      .offset(offset);
    const [counted, { rows, stale }] = await Promise.all([total, readRows(this.#parts, picked, baseUrl)]);
    // A remembered total may lag behind the rows.
    const least = rows.length === 0 ? 0 : offset + rows.length;
    return { rows, paging: { page, perPage, total: Math.max(counted, least) }, stale };
  }

  async #count(teamId: number, query: SellerLotQuery): Promise<number> {
    const [counted] = await this.#wanted(teamId, query).count<{ count: number }[]>('* as count');
    return Number(counted?.count ?? 0);
  }

  #wanted(teamId: number, query: SellerLotQuery): Knex.QueryBuilder {
    const from = this.#parts
      .knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where('a.team_id', teamId);
    if (query.auction_id !== undefined) from.where('l.auction_id', query.auction_id);
    if (query.status !== undefined) from.where('l.status', query.status);
    return from;
  }
}

/** One of the team's lots, or null. */
export async function readSellerLot(
  parts: ViewParts,
  teamId: number,
  lotId: number,
  baseUrl: string,
): Promise<unknown> {
  const picked = parts
    .knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where({ 'a.team_id': teamId, 'l.id': lotId })
    .select('l.id');
  return (await readRows(parts, picked, baseUrl)).rows[0] ?? null;
}

/** The lots whose ids the statement picks, newest first, as one statement. */
async function readRows(
  { knex, journal }: ViewParts,
  picked: Knex.QueryBuilder,
  baseUrl: string,
): Promise<{ rows: unknown[]; stale: boolean }> {
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `SELECT l.*, c.id AS category_id, c.name AS category_name, a.title AS auction_title, a.slug AS auction_slug,
       a.status AS auction_status, a.currency, a.buyer_premium_bps, a.increments, a.start_time, a.end_time,
       ${mediaSql('lot_id', 'l.id', ':baseUrl')} AS media
     FROM (:picked) p JOIN lots l ON l.id = p.id JOIN auctions a ON a.id = l.auction_id
     LEFT JOIN categories c ON c.id = coalesce(l.category_id, a.category_id)
     ORDER BY l.id DESC`,
    { picked, baseUrl },
  );
  const places = rows
    .filter(({ status }) => status !== 'draft')
    .map((row) => ({ lotId: row.id, auctionId: row.auction_id }));
  const live = await readLive(journal, places);
  return { rows: rows.map((row) => present(row, live.states.get(row.id))), stale: live.stale };
}

function present(row: Row, state: LotState | undefined): Record<string, unknown> {
  const reserveCents = state === undefined ? row.reserve_price_cents : state.reserveCents;
  return {
    ...plainFields(row),
    ...liveFields(row, state, { ...row, increments: row.increments?.map(bandOf) ?? null }),
    reserve_price: reserveCents === null ? null : formatCents(reserveCents),
    consignor_id: row.consignor_id,
    created_at: row.created_at,
  };
}
