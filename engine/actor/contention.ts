/**
 * Whether other processes commit to the same lot. If two compete for one, the one that has just committed lets the
 * other go first: what the one decides meanwhile would be thrown away whole. So for a while after the last sign of
 * another process, the lot is refreshed before a long queue is decided on it. Owned by the lot's actor.
 */
import type { LotState } from '../lot/state.ts';
import type { Journal } from './journal.ts';

/** For so many commits after the last sign of another process the lot counts as contended. */
const CONTENDED_COMMITS = 8;
/** Shorter queues are decided again sooner than refreshed for. */
const LONG_QUEUE = 4;
/** How often the lot is read to see whether the other process has committed. */
const MAX_REFRESHES = 4;

export class Contention {
  #commitsLeft = 0;
  #fresh = false;
  #refreshing = false;

  get contended(): boolean {
    return this.#commitsLeft > 0;
  }

  get refreshing(): boolean {
    return this.#refreshing;
  }

  /** Somebody else has committed, and this process has the lot's newest state. */
  sawOther(): void {
    this.#commitsLeft = CONTENDED_COMMITS;
    this.#fresh = true;
  }

  /** A batch came through without a sign of anybody else. */
  sawNobody(): void {
    if (this.#commitsLeft > 0) this.#commitsLeft -= 1;
  }

  /** Whether the lot should be refreshed before `waiting` commands are decided; if not, they are decided now. */
  shouldRefresh(waiting: number): boolean {
    if (this.contended && !this.#fresh && waiting >= LONG_QUEUE) return true;
    this.#fresh = false;
    return false;
  }

  /**
   * Reads the lot until it has moved on from `sequence`, or a few times. Gives its newer state, null if it no longer
   * exists, and undefined where it has not moved. The next commit reports a journal that is unavailable.
   */
  async refresh(
    journal: Journal,
    auctionId: number,
    lotId: number,
    sequence: number,
  ): Promise<LotState | null | undefined> {
    this.#refreshing = true;
    try {
      for (let reads = 0; reads < MAX_REFRESHES; reads += 1) {
        const state = await journal.load(auctionId, lotId);
        if (state?.sequence !== sequence) return state;
      }
    } catch {
      // The next commit reports the fault to those who wait.
    } finally {
      this.#refreshing = false;
      this.#fresh = true;
    }
    return undefined;
  }
}
