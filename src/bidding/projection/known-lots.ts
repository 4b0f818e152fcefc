/**
 * What one shard's projection remembers of its lots and auctions, so that it need not read them again for every
 * segment. Only a copy of what is committed: after any failure it is forgotten and read again.
 */
import type { Knex } from 'knex';
import type { Frame } from '../../../adapters/redis/frames.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { decodeSnapshot } from '../../../engine/formats/formats.ts';
import { readAuctionRows } from '../records/auction-rows.ts';
import type { Known } from './fold.ts';
import type { KnownLot, PendingWrites } from './pending-writes.ts';
import { readSetAsideAuctionEvents } from './set-aside.ts';

const MAX_LOTS = 5_000;
const MAX_AUCTIONS = 500;

export class KnownRows implements Known {
  readonly lots = new Map<number, KnownLot>();
  readonly auctions = new Map<number, AuctionRecord>();

  /**
   * Reads what the frames name and is not known yet. Lots and auctions without rows stay unknown. With `setAside`,
   * records that could not be written count as if they had been.
   */
  async load(trx: Knex, frames: Iterable<Frame>, setAside: boolean): Promise<void> {
    if (this.lots.size > MAX_LOTS) this.lots.clear();
    if (this.auctions.size > MAX_AUCTIONS) this.auctions.clear();
    const { lotIds, auctionIds } = this.#unknownIn(frames);
    if (lotIds.size > 0) await this.#loadLots(trx, [...lotIds]);
    if (auctionIds.size > 0) {
      for (const row of await readAuctionRows(trx, [...auctionIds])) this.auctions.set(row.auctionId, row);
      if (setAside) await this.#loadSetAside(trx, [...auctionIds]);
    }
  }

  #unknownIn(frames: Iterable<Frame>): { lotIds: Set<number>; auctionIds: Set<number> } {
    const lotIds = new Set<number>();
    const auctionIds = new Set<number>();
    for (const frame of frames) {
      const { auctionId } = frame.kind === 'auction' ? frame : frame.entry;
      if (!this.auctions.has(auctionId)) auctionIds.add(auctionId);
      if (frame.kind !== 'auction' && !this.lots.has(frame.entry.lotId)) lotIds.add(frame.entry.lotId);
    }
    return { lotIds, auctionIds };
  }

  async #loadSetAside(trx: Knex, auctionIds: number[]): Promise<void> {
    for (const { auctionId, event } of await readSetAsideAuctionEvents(trx, auctionIds)) {
      if (event.type === 'auction_recorded') this.auctions.set(auctionId, event.record);
    }
  }

  async #loadLots(trx: Knex, lotIds: number[]): Promise<void> {
    const rows: { lot_id: number; snapshot: string; entry_count: number }[] = await trx('lot_states')
      .whereRaw('lot_id = any(?::bigint[])', [lotIds])
      .select('lot_id', 'snapshot', 'entry_count');
    for (const row of rows) {
      this.lots.set(row.lot_id, { state: decodeSnapshot(row.snapshot), entryCount: row.entry_count });
    }
  }

  /** Takes over the lots of pending writes, once they are written. */
  keepLots(pending: PendingWrites): void {
    for (const [lotId, lot] of pending.lots) this.lots.set(lotId, lot);
  }

  /** Takes over the auctions' records of these frames: lots that come later are judged by them. */
  keepRecords(frames: Iterable<Frame>): void {
    for (const frame of frames) {
      if (frame.kind === 'auction' && frame.event.type === 'auction_recorded')
        this.auctions.set(frame.auctionId, frame.event.record);
    }
  }

  forget(): void {
    this.lots.clear();
    this.auctions.clear();
  }
}
