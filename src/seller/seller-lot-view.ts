/**
 * A team's lots as their seller sees them: in any state, with the reserve, and live fields laid over. Lots are handed out as JSON
 * texts. Nothing of a page is remembered but the totals of long lists, so a seller sees at once what they have changed.
 */
import type { Knex } from 'knex';
import type { Paging } from '../../adapters/http/envelope.ts';
import { readPrepared, runPrepared } from '../../adapters/postgres/prepared.ts';
import type { Journal } from '../../engine/journal.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { formatCents } from '../../engine/money.ts';
import { SharedReads } from '../catalog/shared-reads.ts';
import { ShortCache } from '../catalog/short-cache.ts';
import { liveFields, readLive } from '../lots/live.ts';
import { bandOf } from '../lots/lot-detail.ts';
import {
  countStatement,
  lotsStatement,
  pageStatement,
  type SellerLotFilter,
  type SellerLotRow,
} from './seller-lot-statements.ts';

export interface ViewParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'load'>;
}

export interface SellerLotPage {
  /** JSON texts. */
  readonly rows: readonly string[];
  readonly paging: Paging;
  readonly stale: boolean;
}

export interface SellerLotQuery {
  readonly page: number;
  readonly per_page: number;
  readonly auction_id?: number;
  readonly status?: string;
}

/** Totals above this are counted anew only now and then; those up to it are counted with every page. */
const EXACT_TO = 1_000;
const REMEMBERED_MS = 10_000;

/** Pages of teams' lots, for one process. */
export class SellerLotLists {
  readonly #parts: ViewParts;
  readonly #totals = new ShortCache<number>(REMEMBERED_MS, 1_000);
  readonly #shared = new SharedReads<SellerLotPage>();

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  /** A page of the team's lots, newest first. Those of a team who ask for the same at once share it; who may ask is settled before. */
  read(teamId: number, query: SellerLotQuery, baseUrl: string): Promise<SellerLotPage> {
    const { page, per_page: perPage } = query;
    const filter = { auctionId: query.auction_id ?? null, status: query.status ?? null };
    const key = JSON.stringify([teamId, page, perPage, filter, baseUrl]);
    return this.#shared.get(key, () => this.#read(teamId, filter, { page, perPage }, baseUrl));
  }

  async #read(
    teamId: number,
    filter: SellerLotFilter,
    { page, perPage }: Pick<Paging, 'page' | 'perPage'>,
    baseUrl: string,
  ): Promise<SellerLotPage> {
    const offset = (page - 1) * perPage;
    const key = JSON.stringify([teamId, filter]);
    const known = await this.#totals.peek(key);
    const countTo = known === null ? EXACT_TO : null;
    const query = { teamId, filter, limit: perPage, offset, baseUrl, countTo };
    const rows = await readPrepared<SellerLotRow>(this.#parts.knex, pageStatement(query));
    const sure = sureTotal(rows, page, perPage) ?? known;
    const [total, { texts, stale }] = await Promise.all([
      sure ?? this.#count(key, query),
      present(this.#parts.journal, rows),
    ]);
    // A remembered total may lag behind the rows.
    const least = rows.length === 0 ? 0 : offset + rows.length;
    return { rows: [...texts.values()], paging: { page, perPage, total: Math.max(total, least) }, stale };
  }

  #count(key: string, query: { readonly teamId: number; readonly filter: SellerLotFilter }): Promise<number> {
    return this.#totals.get(
      key,
      async () => (await runPrepared<[number]>(this.#parts.knex, countStatement(query)))[0]![0],
      (counted) => (counted <= EXACT_TO ? 0 : REMEMBERED_MS),
    );
  }
}

/** The total as far as the page itself tells it. */
function sureTotal(rows: readonly SellerLotRow[], page: number, perPage: number): number | null {
  const isLast = rows.length < perPage && (rows.length > 0 || page === 1);
  if (isLast) return (page - 1) * perPage + rows.length;
  const counted = rows[0]?.counted ?? null;
  return counted !== null && counted <= EXACT_TO ? counted : null;
}

/** Lots as JSON texts by their ids, newest first. */
export interface SellerLotTexts {
  readonly texts: ReadonlyMap<number, string>;
  readonly stale: boolean;
}

/** Those of these lots that are the team's, as JSON texts by their ids. */
export async function readSellerLots(
  { knex, journal }: ViewParts,
  teamId: number,
  lotIds: readonly number[],
  baseUrl: string,
): Promise<SellerLotTexts> {
  if (lotIds.length === 0) return { texts: new Map(), stale: false };
  return present(journal, await readPrepared<SellerLotRow>(knex, lotsStatement(teamId, lotIds, baseUrl)));
}

async function present(
  journal: ViewParts['journal'],
  rows: readonly SellerLotRow[],
): Promise<SellerLotTexts> {
  const places = rows
    .filter(({ status }) => status !== 'draft')
    .map((row) => ({ lotId: row.id, auctionId: row.auction_id }));
  const { states, stale } = await readLive(journal, places);
  return { texts: new Map(rows.map((row) => [row.id, lotText(row, states.get(row.id))])), stale };
}

/** The lot's JSON text. */
function lotText(row: SellerLotRow, state: LotState | undefined): string {
  const reserveCents = state === undefined ? row.reserve_price_cents : state.reserveCents;
  const { start_time, end_time } = row;
  const live = {
    ...liveFields(row, state, { increments: row.increments?.map(bandOf) ?? null, start_time, end_time }),
    reserve_price: reserveCents === null ? null : formatCents(reserveCents),
  };
  return `${row.rest.slice(0, -1)},${JSON.stringify(live).slice(1)}`;
}
