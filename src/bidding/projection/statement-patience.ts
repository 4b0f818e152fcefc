/**
 * How long a statement of the projection may take before one of the lots in it is suspected of holding it up: a small
 * multiple of what a whole transaction usually takes, so that a lot of which the rows do not come to an end is found
 * within a second, and a slow Postgres is waited for. Of one projector.
 */

import type { UnwritableFrames } from './containment.ts';
import { isDoubtful, isTimeout } from './unwritable.ts';

/** What a quiet machine needs many times over, */
const SHORTEST_MS = 400;
/** and what is waited for at most. */
const LONGEST_MS = 30_000;
const TIMES_USUAL = 10;
/** Of an entry among thousands in one statement. */
const PER_FRAME_MS = 1;
/** While it is looked for who holds it up, a statement has this share of the time. */
const SEARCHING_SHARE = 0.25;
const SMOOTHING = 0.125;
/** So many lots are refused or held up at once, perhaps, but no more. */
const FEW = 8;

/** What was seen of Postgres while it was looked for who holds a transaction up. */
export interface SearchSigns {
  readonly isWritten: boolean;
  readonly readMs: number;
}

export class StatementPatience {
  #usualMs = 0;

  /** For a statement of a transaction of so many frames. */
  limitMs(frames: number): number {
    const usual = Math.max(SHORTEST_MS, this.#usualMs * TIMES_USUAL);
    return Math.round(Math.min(LONGEST_MS, usual + frames * PER_FRAME_MS));
  }

  /** For the same, while it is looked for who holds it up. */
  searchMs(frames: number): number {
    return Math.round(this.limitMs(frames) * SEARCHING_SHARE);
  }

  /** A transaction took so long. */
  took(ms: number): void {
    this.#usualMs += SMOOTHING * (ms - this.#usualMs);
  }

  /** Throws where it is Postgres that is slow, or refuses everything. Waits for twice as long from then on. */
  requireCulprits(
    refused: ReadonlyMap<string, UnwritableFrames>,
    frames: number,
    { isWritten, readMs }: SearchSigns,
  ): void {
    const errors = [...refused.values()].map(({ error }) => error);
    const inDoubt = errors.filter((error) => isTimeout(error) || isDoubtful(error));
    if (inDoubt.length === 0 || isWritten || errors.length > inDoubt.length) return;
    if (inDoubt.length <= FEW && readMs < this.searchMs(frames)) return;
    if (inDoubt.some(isTimeout)) this.#usualMs = (2 * this.limitMs(frames)) / TIMES_USUAL;
    throw inDoubt[0];
  }
}
