/**
 * A team's lots as their seller sees them: in any state, with the reserve, and with live fields. Lots are returned as
 * JSON texts. Pages are cached briefly, but only while the team has changed nothing; live fields are always read again.
 */
import type { Knex } from 'knex';
import type { Paging } from '../../../adapters/http/envelope.ts';
import { readPrepared, runPrepared } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { bandOf, keptState, type LiveJournal, liveFields, readLive } from '../../catalog/lots/live.ts';
import { SharedReads } from '../../shared/caching/shared-reads.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import type { TeamCacheVersions } from '../team-cache-version.ts';
import {
  countStatement,
  lotsStatement,
  pageStatement,
  type SellerLotFilter,
  type SellerLotRow,
} from './seller-lot-statements.ts';

export interface ViewParts {
  readonly knex: Knex;
  readonly journal: LiveJournal;
}

export interface ListParts extends ViewParts {
  readonly versions: Pick<TeamCacheVersions, 'read'>;
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

/** A page as it was read when the team's version was this. */
interface StoredPage {
  readonly version: string | null;
  readonly rows: readonly SellerLotRow[];
  readonly total: number;
}

interface PageWanted {
  readonly teamId: number;
  readonly filter: SellerLotFilter;
  readonly page: number;
  readonly perPage: number;
  readonly baseUrl: string;
}

/** Totals above this are counted again only now and then; those up to it are counted with every page. */
const EXACT_TO = 999;
const TOTAL_MS = 10_000;
const PAGE_MS = 1_000;

/** Pages of teams' lots, for one process. */
export class SellerLotLists {
  readonly #parts: ListParts;
  readonly #pages = new ShortCache<StoredPage>(PAGE_MS, 100);
  readonly #totals = new ShortCache<number>(TOTAL_MS, 1_000);
  readonly #shared = new SharedReads<SellerLotPage>();

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  /**
   * A page of the team's lots, newest first; whether the caller is of the team is settled before. What the team itself
   * has changed is in it, what others have changed (an admin, the clock) a second later at most. Those of a team who
   * request the same at once share one read.
   */
  read(teamId: number, query: SellerLotQuery, baseUrl: string): Promise<SellerLotPage> {
    const { page, per_page: perPage } = query;
    const filter = { auctionId: query.auction_id ?? null, status: query.status ?? null };
    const wanted = { teamId, filter, page, perPage, baseUrl };
    const key = JSON.stringify(wanted);
    return this.#shared.get(key, () => this.#read(key, wanted));
  }

  async #read(key: string, wanted: PageWanted): Promise<SellerLotPage> {
    const { journal, versions } = this.#parts;
    const known = await this.#pages.peek(key);
    // The journal is read alongside the version: mostly the page still counts.
    const [version, first] = await Promise.all([
      versions.read(wanted.teamId),
      known === null ? null : present(journal, known.rows),
    ]);
    if (known !== null && first !== null && version !== null && known.version === version) {
      return pageOf(wanted, known, first);
    }
    const stored = await this.#pages.renew(key, () => this.#readPage(wanted, version));
    return pageOf(wanted, stored, await present(journal, stored.rows));
  }

  async #readPage(wanted: PageWanted, version: string | null): Promise<StoredPage> {
    const { teamId, filter, page, perPage, baseUrl } = wanted;
    const offset = (page - 1) * perPage;
    const key = JSON.stringify([teamId, filter]);
    const known = await this.#totals.peek(key);
    const countTo = known === null ? EXACT_TO : null;
    const query = { teamId, filter, limit: perPage, offset, baseUrl, countTo };
    const rows = await readPrepared<SellerLotRow>(this.#parts.knex, pageStatement(query));
    const total = sureTotal(rows, page, perPage) ?? known ?? (await this.#count(key, query));
    // A cached total may lag behind the rows.
    return { version, rows, total: Math.max(total, rows.length === 0 ? 0 : offset + rows.length) };
  }

  #count(key: string, query: { readonly teamId: number; readonly filter: SellerLotFilter }): Promise<number> {
    return this.#totals.get(
      key,
      async () => firstOf(await runPrepared<[number]>(this.#parts.knex, countStatement(query)))[0],
      (counted) => (counted <= EXACT_TO ? 0 : TOTAL_MS),
    );
  }
}

function pageOf(
  { page, perPage }: PageWanted,
  { total }: StoredPage,
  { texts, stale }: SellerLotTexts,
): SellerLotPage {
  return { rows: [...texts.values()], paging: { page, perPage, total }, stale };
}

/** The total as far as the page itself shows it. */
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
  const underEngine = rows
    .filter(({ status }) => status !== 'draft')
    .map((row) => ({ lotId: row.id, auctionId: row.auction_id }));
  const { states, stale, nowUs } = await readLive(journal, underEngine);
  return { texts: new Map(rows.map((row) => [row.id, lotText(row, states.get(row.id), nowUs)])), stale };
}

/** The lot's JSON text, printed again only where its state has changed, or its price is moved by the clock. */
function lotText(row: SellerLotRow, state: LotState | undefined, nowUs: number): string {
  const isMoved = row.snapshot !== null;
  if (row.serialized === undefined || row.serialized.state !== state || isMoved) {
    row.serialized = { state, text: serialize(row, state, nowUs) };
  }
  return row.serialized.text;
}

function serialize(row: SellerLotRow, state: LotState | undefined, nowUs: number): string {
  const shown = state ?? keptState(row.snapshot);
  const reserveCents = state === undefined ? row.reserve_price_cents : state.reserveCents;
  const { currency, start_time, end_time, acres } = row;
  const live = {
    ...liveFields(row, shown, {
      increments: row.increments?.map(bandOf) ?? null,
      start_time,
      end_time,
      currency,
      acres,
      nowUs,
    }),
    reserve_price: reserveCents === null ? null : formatCents(reserveCents, decimalsOf(row.currency)),
  };
  return `${row.rest.slice(0, -1)},${JSON.stringify(live).slice(1)}`;
}
