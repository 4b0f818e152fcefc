/**
 * Where the engine finds a lot: its auction, whether its journal has been opened, and, for one that has left the
 * journal after its close or was withdrawn before it came there, how it ended. What can no longer change is cached; a
 * lot that is not there yet is looked up again.
 */
import type { Knex } from 'knex';
import type { LotLocation, LotSource } from '../../../engine/actor/lot-source.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { FORMAT_NAMES, unscheduled } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { LAST_US, usFromIso } from '../../../engine/time.ts';
import { sellsTogether } from '../../shared/format-fields.ts';
import { unitsOf } from '../../shared/lot-units.ts';
import { isOpenLot, OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import {
  AUCTIONS_FIELDS_SQL,
  allToOpen,
  LOT_ROW_COLUMNS,
  type LotRow,
  readLotRowsOfAuction,
} from './lot-rows.ts';

/** Reads the final state of a closed lot; null while the journal still has it. */
export type ReadArchived = (lotId: number) => Promise<LotState | null>;

const MAX_LOTS = 200_000;

interface Row extends LotRow {
  readonly start_time: string;
  readonly end_time: string;
  readonly stagger_seconds: number;
  readonly published_at: string | null;
}

export class LotLookup implements LotSource {
  readonly #auctions = new Map<number, number>();
  readonly #knex: Knex;
  readonly #isLive: (auctionId: number, lotId: number) => Promise<boolean>;
  readonly #readArchived: ReadArchived;

  constructor(
    knex: Knex,
    isLive: (auctionId: number, lotId: number) => Promise<boolean>,
    readArchived: ReadArchived,
  ) {
    this.#knex = knex;
    this.#isLive = isLive;
    this.#readArchived = readArchived;
  }

  async find(lotId: number): Promise<LotLocation | null> {
    const known = this.#auctions.get(lotId);
    if (known !== undefined && (await this.#isLive(known, lotId))) {
      return { auctionId: known, toOpen: null, archived: null };
    }
    const row = await this.#read(lotId);
    if (row === undefined || row.published_at === null) return null;
    const { auction_id: auctionId, host_id: hostId } = row;
    // Their journal is found by its host, and so is what became of them.
    if (hostId !== null && hostId !== lotId) return { auctionId, hostId, toOpen: null, archived: null };
    const found = await this.#locate(lotId, row);
    if (hostId !== null) return { ...found, hostId };
    this.#cache(lotId, auctionId);
    return found;
  }

  async #locate(lotId: number, row: Row): Promise<LotLocation> {
    const auctionId = row.auction_id;
    if (!row.journal_opened) {
      if (row.status === 'withdrawn') {
        return { auctionId, toOpen: null, archived: withdrawnUnopened(lotId, row) };
      }
      const rows = row.host_id === null ? [row] : await readLotRowsOfAuction(this.#knex, auctionId);
      const toOpen = allToOpen(rows).find((lot) => lot.lotId === lotId) ?? null;
      return { auctionId, toOpen, archived: null };
    }
    const closed = !isOpenLot(row.status);
    const archived =
      closed && !(await this.#isLive(auctionId, lotId)) ? await this.#readArchived(lotId) : null;
    return { auctionId, toOpen: null, archived };
  }

  /** The auction of a lot, or null for one that is not there or a draft. Cheaper than `find`. */
  async auctionOf(lotId: number): Promise<number | null> {
    return this.#auctions.get(lotId) ?? (await this.find(lotId))?.auctionId ?? null;
  }

  async openLots(auctionId: number): Promise<number[]> {
    return this.#knex('lots')
      .where('auction_id', auctionId)
      .whereRaw(`status IN ${OPEN_LOT_SQL}`)
      .pluck('id');
  }

  #cache(lotId: number, auctionId: number): void {
    if (this.#auctions.size >= MAX_LOTS) this.#auctions.clear();
    this.#auctions.set(lotId, auctionId);
  }

  #read(lotId: number): Promise<Row | undefined> {
    return this.#knex('lots')
      .join('auctions', 'auctions.id', 'lots.auction_id')
      .where('lots.id', lotId)
      .first<Row | undefined>(
        ...LOT_ROW_COLUMNS,
        // SQL: several columns as one object.
        this.#knex.raw(AUCTIONS_FIELDS_SQL),
        'auctions.start_time',
        'auctions.end_time',
        'auctions.stagger_seconds',
        'lots.published_at',
      );
  }
}

/** A moment as Postgres gives it. */
function usOf(text: string): number {
  return usFromIso(text) ?? Number.NaN;
}

/** A lot that was withdrawn before it was in the journal: it stays withdrawn. */
function withdrawnUnopened(lotId: number, row: Row): LotState {
  const staggerUs = (row.lot_number - 1) * row.stagger_seconds * 1_000_000;
  const endsAtUs = Math.min(LAST_US, usOf(row.end_time) + staggerUs);
  return {
    // One that is in no sale with others is a lot by itself.
    ...unscheduled(sellsTogether(row.format) ? firstOf(FORMAT_NAMES) : row.format),
    lotId,
    auctionId: row.auction_id,
    lotNumber: row.lot_number,
    status: 'withdrawn',
    startsAtUs: usOf(row.start_time),
    endsAtUs,
    originalEndsAtUs: endsAtUs,
    startingBidCents: row.starting_bid_cents,
    reserveCents: row.reserve_price_cents,
    buyNowCents: row.buy_now_price_cents,
    consignorUserId: row.consignor_id,
    units: unitsOf(row),
  };
}
