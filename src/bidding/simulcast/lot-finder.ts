/**
 * Finds the lot that a simulcast event means: by id, by auction and number, or by SKU. What is found is remembered; a SKU only
 * for a moment, because another lot may come to bear it.
 */
import type { Knex } from 'knex';

export interface LotNaming {
  readonly lot_id?: number;
  readonly auction_id?: number;
  readonly lot_number?: number;
  readonly sku?: string;
}

export interface FoundLot {
  readonly lotId: number;
  readonly auctionId: number;
}

const SKU_MS = 2_000;
const MOST_KNOWN = 100_000;

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

  /** The lot, or null when there is none or it is a draft. Several lots of one SKU: the live one, the newest of them. */
  find(naming: LotNaming): FoundLot | null | Promise<FoundLot | null> {
    const key = keyOf(naming);
    if (key === null) return null;
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known.lot;
    return this.#look(naming, key);
  }

  async #look(naming: LotNaming, key: string): Promise<FoundLot | null> {
    const lot = await this.#read(naming);
    if (lot === null) return null;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const untilMs = naming.sku === undefined ? Number.POSITIVE_INFINITY : performance.now() + SKU_MS;
    this.#known.set(key, { lot, untilMs });
    return lot;
  }

  async #read(naming: LotNaming): Promise<FoundLot | null> {
    const query = this.#knex('lots')
      .join('auctions', 'auctions.id', 'lots.auction_id')
      .whereNot('lots.status', 'draft')
      .whereNot('auctions.status', 'draft')
      // One that was cancelled as a draft has never been under the engine.
      .whereRaw("NOT (auctions.status = 'cancelled' AND auctions.record_version = 0)")
      .orderByRaw("lots.status IN ('active', 'scheduled') DESC, lots.id DESC");
    if (naming.lot_id !== undefined) query.where('lots.id', naming.lot_id);
    if (naming.auction_id !== undefined) query.where('lots.auction_id', naming.auction_id);
    if (naming.lot_number !== undefined) query.where('lots.lot_number', naming.lot_number);
    if (naming.sku !== undefined) query.where('lots.sku', naming.sku);
    const row = await query.first<{ id: number; auction_id: number } | undefined>(
      'lots.id',
      'lots.auction_id',
    );
    return row === undefined ? null : { lotId: row.id, auctionId: row.auction_id };
  }
}

/** One lot must be named: by id, by auction and number, or by SKU. */
function keyOf({ lot_id, auction_id, lot_number, sku }: LotNaming): string | null {
  if (lot_id !== undefined) return `i${lot_id}|${auction_id ?? ''}|${lot_number ?? ''}|${sku ?? ''}`;
  if (auction_id !== undefined && lot_number !== undefined)
    return `n${auction_id}|${lot_number}|${sku ?? ''}`;
  return sku === undefined ? null : `s${sku}|${auction_id ?? ''}`;
}
