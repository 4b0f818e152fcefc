/**
 * Follows the facts of all teams and reports whom new ones concern. It polls when Postgres announces a commit, more
 * often while facts wait behind an open transaction, and every few seconds in any case; never more than every few
 * milliseconds.
 */
import type { Knex } from 'knex';
import {
  type EventPosition,
  FIRST_POSITION,
  lastSettled,
  readSettled,
  type SettledEvents,
} from '../events/read-events.ts';

export interface FeedParts {
  readonly knex: Knex;
  readonly onNews: (settled: SettledEvents) => void;
  readonly onError: (error: unknown) => void;
}

const GAP_MS = 10;
const BLOCKED_FIRST_MS = 20;
const BLOCKED_LAST_MS = 500;
const SLOW_MS = 2_000;

export class EventFeed {
  readonly #parts: FeedParts;
  #position: EventPosition = FIRST_POSITION;
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> | null = null;
  /** Another commit was announced during the read. */
  #newsMeanwhile = false;
  #polledMs = 0;
  #blockedMs = BLOCKED_FIRST_MS;
  #closed = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Everything up to here is settled. */
  get position(): EventPosition {
    return this.#position;
  }

  /** Begins behind what is settled now; at the first fact where Postgres is unavailable. */
  async start(): Promise<void> {
    try {
      this.#position = await lastSettled(this.#parts.knex);
    } catch (error) {
      this.#parts.onError(error);
    }
    this.poll();
  }

  /** Polls soon, because there may be news. */
  poll(): void {
    if (this.#polling !== null) this.#newsMeanwhile = true;
    else this.#plan(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#polling;
  }

  #plan(inMs: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const gapMs = this.#polledMs + GAP_MS - performance.now();
    this.#timer = setTimeout(() => void this.#poll(), Math.max(inMs, gapMs));
  }

  async #poll(): Promise<void> {
    this.#timer = null;
    this.#newsMeanwhile = false;
    this.#polling = this.#read().then((pauseMs) => {
      this.#polling = null;
      this.#polledMs = performance.now();
      this.#plan(this.#newsMeanwhile ? 0 : pauseMs);
    });
    await this.#polling;
  }

  /** Gives how long to wait before the next poll. */
  async #read(): Promise<number> {
    try {
      const settled = await readSettled(this.#parts.knex, this.#position);
      this.#blockedMs = settled.more && settled.news.length === 0 ? this.#blockedMs * 1.5 : BLOCKED_FIRST_MS;
      if (settled.news.length > 0) {
        this.#position = settled.position;
        this.#parts.onNews(settled);
        return settled.more ? 0 : SLOW_MS;
      }
      return settled.more ? Math.min(BLOCKED_LAST_MS, this.#blockedMs) : SLOW_MS;
    } catch (error) {
      this.#parts.onError(error);
      return SLOW_MS;
    }
  }
}
