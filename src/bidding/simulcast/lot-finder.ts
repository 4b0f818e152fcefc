/**
 * Finds the lot that a simulcast event means: by id, by auction and number, or by SKU. A SKU alone is searched in the
 * auctions that have admitted the platform, and must mean one lot there. What is found is cached; a SKU only briefly,
 * because another lot may come to bear it.
 */
import type { Knex } from 'knex';
import { type Decimals, decimalsOf } from '../../../engine/money.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';

export interface LotNaming {
  readonly lot_id?: number;
  readonly auction_id?: number;
  readonly lot_number?: number;
  readonly sku?: string;
}

export interface FoundLot {
  readonly lotId: number;
  readonly auctionId: number;
  /** The lot whose journal it is in, where several are sold as one; absent: it is sold by itself. */
  readonly hostId?: number;
  /** Of the currency that its amounts are in, for good once its auction is no draft. */
  readonly decimals: Decimals;
}

/** Null: there is none, or it is a draft. */
export type LotSought = FoundLot | 'ambiguous' | null;

const SKU_MS = 2_000;
const MAX_KNOWN = 100_000;

interface Row {
  readonly id: number;
  readonly auction_id: number;
  readonly host_id: number | null;
  readonly currency: string;
  readonly open: boolean;
}

interface Known {
  readonly lot: FoundLot;
  readonly untilMs: number;
}

export class LotFinder {
  readonly #known = new Map<string, Known>();
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /**
   * The lot. Several of one SKU: the one that is live, or the newest where none is; `ambiguous` where several are
   * live.
   */
  find(platform: string, naming: LotNaming): LotSought | Promise<LotSought> {
    const key = keyOf(platform, naming);
    if (key === null) return null;
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known.lot;
    return this.#find(platform, naming, key);
  }

  async #find(platform: string, naming: LotNaming, key: string): Promise<LotSought> {
    const lot = await this.#read(platform, naming);
    if (lot === null || lot === 'ambiguous') return lot;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const untilMs = naming.sku === undefined ? Number.POSITIVE_INFINITY : performance.now() + SKU_MS;
    this.#known.set(key, { lot, untilMs });
    return lot;
  }

  async #read(platform: string, naming: LotNaming): Promise<LotSought> {
    const query = this.#knex('lots')
      .join('auctions', 'auctions.id', 'lots.auction_id')
      .whereNotNull('lots.published_at')
      .orderByRaw(`lots.status IN ${OPEN_LOT_SQL} DESC, lots.id DESC`)
      .limit(2);
    if (naming.lot_id !== undefined) query.where('lots.id', naming.lot_id);
    if (naming.auction_id !== undefined) query.where('lots.auction_id', naming.auction_id);
    if (naming.lot_number !== undefined) query.where('lots.lot_number', naming.lot_number);
    if (naming.sku !== undefined) query.where('lots.sku', naming.sku);
    if (isSkuAlone(naming)) query.whereRaw('? = ANY (auctions.simulcast_platforms)', [platform]);
    const rows: Row[] = await query.select(
      'lots.id',
      'lots.auction_id',
      'lots.host_id',
      'auctions.currency',
      // SQL: a column that is worked out.
      this.#knex.raw(`lots.status IN ${OPEN_LOT_SQL} AS open`),
    );
    const [row, other] = rows;
    if (row === undefined) return null;
    if (other?.open === true) return 'ambiguous';
    const { id: lotId, auction_id: auctionId, host_id: hostId } = row;
    const lot = { lotId, auctionId, decimals: decimalsOf(row.currency) };
    return hostId === null ? lot : { ...lot, hostId };
  }
}

function isSkuAlone({ lot_id, auction_id }: LotNaming): boolean {
  return lot_id === undefined && auction_id === undefined;
}

/** One lot must be named: by id, by auction and number, or by SKU. */
function keyOf(platform: string, { lot_id, auction_id, lot_number, sku }: LotNaming): string | null {
  if (lot_id !== undefined) return `i${lot_id}|${auction_id ?? ''}|${lot_number ?? ''}|${sku ?? ''}`;
  if (auction_id !== undefined && lot_number !== undefined)
    return `n${auction_id}|${lot_number}|${sku ?? ''}`;
  if (sku === undefined) return null;
  return auction_id === undefined ? `p${platform}|${sku}` : `s${auction_id}|${sku}`;
}
