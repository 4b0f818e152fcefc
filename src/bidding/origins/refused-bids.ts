/**
 * Notes of bids that were refused because the price was higher already, so that whom a void lets in again is notified.
 * As with origins, they are written a moment after their answer, together; one a minute of a person on a lot is enough.
 */
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';

/** A bid that was too low, and who sent it. */
export interface RefusedBid {
  readonly lotId: number;
  readonly userId: number;
  readonly amountCents: number | null;
}

interface Row {
  readonly lot_id: number;
  readonly user_id: number;
  readonly refused_at: string;
  readonly code: 'bid_too_low';
  readonly amount_cents: number | null;
}

const ONCE_MS = 60_000;
const MAX_KNOWN = 50_000;
const MAX_WAITING = 5_000;
const ROWS_AT_ONCE = 500;

export class RefusedBids {
  readonly #knex: Knex;
  readonly #noted = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: ONCE_MS });
  #waiting: Row[] = [];

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns whether there is something to write. */
  note({ lotId, userId, amountCents }: RefusedBid): boolean {
    const key = `${lotId}|${userId}`;
    if (this.#noted.has(key) || this.#waiting.length >= MAX_WAITING) return false;
    this.#noted.set(key, true);
    const refused_at = new Date().toISOString();
    this.#waiting.push({
      lot_id: lotId,
      user_id: userId,
      refused_at,
      code: 'bid_too_low',
      amount_cents: amountCents,
    });
    return true;
  }

  /** Writes what waits. Rejects where it cannot; then it waits for the next time. */
  async write(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    try {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
        await this.#knex('refused_bids').insert(rows.slice(at, at + ROWS_AT_ONCE));
    } catch (error) {
      this.#waiting = [...rows, ...this.#waiting].slice(-MAX_WAITING);
      throw error;
    }
  }
}
