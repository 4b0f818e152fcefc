/** A team's lots as their seller sees them: in any state, with the reserve, and live fields laid over. */
import type { Knex } from 'knex';
import type { Paging } from '../../adapters/http/envelope.ts';
import type { Journal } from '../../engine/journal.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { formatCents } from '../../engine/money.ts';
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

/** A page of the team's lots, newest first. */
export async function listSellerLots(
  parts: ViewParts,
  teamId: number,
  query: {
    readonly page: number;
    readonly per_page: number;
    readonly auction_id?: number;
    readonly status?: string;
  },
  baseUrl: string,
): Promise<SellerLotPage> {
  const { page, per_page: perPage } = query;
  const wanted = (from: Knex.QueryBuilder) => {
    from.join('auctions as a', 'a.id', 'l.auction_id').where('a.team_id', teamId);
    if (query.auction_id !== undefined) from.where('l.auction_id', query.auction_id);
    if (query.status !== undefined) from.where('l.status', query.status);
    return from;
  };
  const counted = await wanted(parts.knex('lots as l')).count<{ count: number }[]>('* as count');
  const total = Number(counted[0]?.count ?? 0);
  const ids: number[] =
    (page - 1) * perPage >= total
      ? []
      : await wanted(parts.knex('lots as l'))
          .orderBy('l.id', 'desc')
          .limit(perPage)
          .offset((page - 1) * perPage)
          .pluck('l.id');
  const { shown, stale } = await readRows(parts, ids, baseUrl);
  return { rows: ids.flatMap((id) => shown.get(id) ?? []), paging: { page, perPage, total }, stale };
}

/** One of the team's lots, or null. */
export async function readSellerLot(
  parts: ViewParts,
  teamId: number,
  lotId: number,
  baseUrl: string,
): Promise<unknown> {
  const found = await parts
    .knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where({ 'a.team_id': teamId, 'l.id': lotId })
    .first('l.id');
  if (found === undefined) return null;
  return (await readRows(parts, [lotId], baseUrl)).shown.get(lotId) ?? null;
}

async function readRows(
  { knex, journal }: ViewParts,
  ids: readonly number[],
  baseUrl: string,
): Promise<{ shown: Map<number, unknown>; stale: boolean }> {
  if (ids.length === 0) return { shown: new Map(), stale: false };
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `SELECT l.*, c.id AS category_id, c.name AS category_name, a.title AS auction_title, a.slug AS auction_slug,
       a.status AS auction_status, a.currency, a.buyer_premium_bps, a.increments, a.start_time, a.end_time,
       ${mediaSql('lot_id', 'l.id', ':baseUrl')} AS media
     FROM lots l JOIN auctions a ON a.id = l.auction_id
     LEFT JOIN categories c ON c.id = coalesce(l.category_id, a.category_id)
     WHERE l.id = ANY(:ids)`,
    { ids: [...ids], baseUrl },
  );
  const places = rows
    .filter(({ status }) => status !== 'draft')
    .map((row) => ({ lotId: row.id, auctionId: row.auction_id }));
  const live = await readLive(journal, places);
  return {
    shown: new Map(rows.map((row) => [row.id, present(row, live.states.get(row.id))])),
    stale: live.stale,
  };
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
