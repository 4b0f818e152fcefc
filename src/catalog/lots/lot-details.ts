/**
 * Lots in full for everybody who is not signed in. A request that comes while a read is in flight shares the next one,
 * so a crowd around a few lots costs two look-ups at a time, rows and journal side by side; nobody gets anything older
 * than their question.
 */
import type { Knex } from 'knex';
import type { LotState } from '../../../engine/lot/state.ts';
import { BatchedReads } from '../../shared/caching/shared-reads.ts';
import { mediaAt } from '../media-presentation.ts';
import { type LiveJournal, type LiveLotIds, readLive } from './live.ts';
import { type DetailRow, detailOf, isSeen, readDetailRows } from './lot-detail.ts';

interface LotDetailsParts {
  readonly knex: Knex;
  readonly journal: LiveJournal;
}

/** A lot as one read found it; printed once for each base address that it is requested at. */
interface Found {
  readonly row: DetailRow;
  readonly state: LotState | undefined;
  readonly nowUs: number;
  readonly stale: boolean;
  serialized: { readonly baseUrl: string; readonly text: string } | null;
}

/** Reads at a time: enough that rows and journal are kept busy, few enough that a crowd gathers. */
const CONCURRENCY = 2;
const MAX_LOTS = 100_000;

export class LotDetails {
  readonly #parts: LotDetailsParts;
  readonly #reads: BatchedReads<number, Found>;
  /** Lot → auction as last seen: where in the journal to read before the row is there. */
  readonly #auctions = new Map<number, number>();

  constructor(parts: LotDetailsParts) {
    this.#parts = parts;
    this.#reads = new BatchedReads((lotIds) => this.#readMany(lotIds), CONCURRENCY);
  }

  /** The whole answer as text; null where there is no such lot or it is not for everybody. */
  async read(lotId: number, baseUrl: string): Promise<string | null> {
    const found = await this.#reads.get(lotId);
    if (found === undefined) return null;
    if (found.serialized?.baseUrl !== baseUrl) found.serialized = { baseUrl, text: textOf(found, baseUrl) };
    return found.serialized.text;
  }

  async #readMany(lotIds: readonly number[]): Promise<Map<number, Found>> {
    const { knex, journal } = this.#parts;
    // As it is now: a read alongside this one may note auctions that this one has not read.
    const guessed = new Map<number, number>();
    for (const lotId of lotIds) {
      const auctionId = this.#auctions.get(lotId);
      if (auctionId !== undefined) guessed.set(lotId, auctionId);
    }
    const [rows, first] = await Promise.all([
      readDetailRows(knex, lotIds, null, ''),
      readLive(
        journal,
        [...guessed].map(([lotId, auctionId]) => ({ lotId, auctionId })),
      ),
    ]);
    // Drafts may change their auction; lots that were never requested have no auction here yet.
    const missed = rows
      .filter((row) => guessed.get(row.id) !== row.auction_id)
      .map((row) => ({ lotId: row.id, auctionId: row.auction_id }));
    this.#cache(missed);
    const second = missed.length === 0 ? null : await readLive(journal, missed);
    const missedIds = new Set(missed.map(({ lotId }) => lotId));
    const found = new Map<number, Found>();
    for (const row of rows) {
      if (!isSeen(row)) continue;
      const live = second !== null && missedIds.has(row.id) ? second : first;
      found.set(row.id, {
        row,
        state: live.states.get(row.id),
        stale: live.stale,
        nowUs: live.nowUs,
        serialized: null,
      });
    }
    return found;
  }

  #cache(lots: readonly LiveLotIds[]): void {
    if (this.#auctions.size + lots.length > MAX_LOTS) this.#auctions.clear();
    for (const { lotId, auctionId } of lots) this.#auctions.set(lotId, auctionId);
  }
}

function textOf({ row, state, stale, nowUs }: Found, baseUrl: string): string {
  const data = detailOf({ ...row, media: mediaAt(row.media, baseUrl) }, state, nowUs);
  return JSON.stringify({ success: true, data, ...(stale ? { meta: { stale: true } } : {}) });
}
