/**
 * Follows the facts of all teams and says whom new ones concern. It looks when Postgres announces a commit, again and
 * again while something waits behind an open transaction, and now and then in any case; never more often than every
 * few milliseconds.
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
const HELD_FIRST_MS = 20;
const HELD_LAST_MS = 500;
const SLOW_MS = 2_000;

export class EventFeed {
  readonly #parts: FeedParts;
  #position: EventPosition = FIRST_POSITION;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  /** Somebody said meanwhile that there is news. */
  #told = false;
  #lookedMs = 0;
  #heldMs = HELD_FIRST_MS;
  #closed = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Everything up to here is settled. */
  get position(): EventPosition {
    return this.#position;
  }

  /** Begins behind what is settled now; where that cannot be asked, at the first fact. */
  async start(): Promise<void> {
    try {
      this.#position = await lastSettled(this.#parts.knex);
    } catch (error) {
      this.#parts.onError(error);
    }
    this.look();
  }

  /** There may be news. */
  look(): void {
    if (this.#looking !== null) this.#told = true;
    else this.#plan(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
  }

  #plan(inMs: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const gapMs = this.#lookedMs + GAP_MS - performance.now();
    this.#timer = setTimeout(() => void this.#look(), Math.max(inMs, gapMs));
  }

  async #look(): Promise<void> {
    this.#timer = null;
    this.#told = false;
    this.#looking = this.#read().then((pauseMs) => {
      this.#looking = null;
      this.#lookedMs = performance.now();
      this.#plan(this.#told ? 0 : pauseMs);
    });
    await this.#looking;
  }

  /** Gives how long to wait before the next look. */
  async #read(): Promise<number> {
    try {
      const settled = await readSettled(this.#parts.knex, this.#position);
      this.#heldMs = settled.more && settled.news.length === 0 ? this.#heldMs * 1.5 : HELD_FIRST_MS;
      if (settled.news.length > 0) {
        this.#position = settled.position;
        this.#parts.onNews(settled);
        return settled.more ? 0 : SLOW_MS;
      }
      return settled.more ? Math.min(HELD_LAST_MS, this.#heldMs) : SLOW_MS;
    } catch (error) {
      this.#parts.onError(error);
      return SLOW_MS;
    }
  }
}
