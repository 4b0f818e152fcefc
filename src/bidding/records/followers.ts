/**
 * The safety net under changes of auctions: a worker checks which records have changed since its last run and lets
 * their lots follow, and so it does after an outage of the journal. Whoever changed an auction has usually done it
 * already; this reaches the lots of one who died in between.
 */
import { LIVE_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';
import { LOT_STATUSES } from '../../shared/statuses/lot-statuses.ts';
import { followAuction, type LiveParts } from './auction-lots.ts';

interface Row {
  readonly id: number;
  readonly record_version: number;
}

export class Followers {
  /** What each auction's lots have followed: its record's version, and the last outage. */
  readonly #followed = new Map<number, string>();
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /**
   * Passes once over all auctions that are live or have lots to withdraw. Gives the number of lots that were behind.
   */
  async followMoved(): Promise<number> {
    const rows = await this.#live();
    this.#forgetAllBut(rows);
    let moved = 0;
    for (const { id, record_version } of rows) {
      const newest = `${record_version}|${this.#parts.journal.lastOutageUs(id)}`;
      if (this.#followed.get(id) === newest) continue;
      moved += await followAuction(this.#parts, id);
      this.#followed.set(id, newest);
    }
    return moved;
  }

  #live(): Promise<Row[]> {
    return this.#parts
      .knex('auctions')
      .whereRaw(`status IN ${LIVE_AUCTION_SQL}`)
      .orWhereRaw(
        `status = 'cancelled' AND EXISTS (SELECT 1 FROM lots l
           WHERE l.auction_id = auctions.id AND l.status IN ${LOT_STATUSES.sourcesSql('withdrawn', 'auction')})`,
      )
      .orderBy('id')
      .select('id', 'record_version');
  }

  #forgetAllBut(rows: readonly Row[]): void {
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.#followed.keys()) if (!ids.has(id)) this.#followed.delete(id);
  }
}
