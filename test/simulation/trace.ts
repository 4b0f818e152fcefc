/**
 * The result of a run: a hash over everything that happened, counts of what it covered, and the first error. The lines
 * themselves are kept only for a run that somebody wants to read.
 */
import { createHash } from 'node:crypto';
import type { VirtualTime } from './virtual-time.ts';

/** What a run may cover. A share of seeds that misses one of these has not simulated what it claims. */
export const KINDS = [
  ...[
    'crash',
    'pause',
    'outage',
    'outage_noted',
    'clock_back',
    'clock_ahead',
    'lost_request',
    'lost_reply',
    'slow_call',
  ],
  ...['conflict', 'record_changed', 'clock_refused', 'replayed', 'exposure_wrong', 'timeout'],
  ...['pipelined', 'pipelined_rolled_back'],
  ...[
    'duplicate',
    'retry',
    'replay',
    'key_reused',
    'bid',
    'refusal',
    'extension',
    'closing',
    'sale',
    'late_bid',
  ],
  ...[
    'auction_paused',
    'suspension',
    'void',
    'withdrawal',
    'purchase',
    'reserve_change',
    'cancelled',
    'overloaded',
    'limit_refusal',
  ],
  ...['projected', 'projection_failed', 'commit_unknown', 'position_moved', 'two_projectors'],
  ...['projected_together', 'left_out'],
  ...['group_moved', 'note_changed'],
  ...['sealed_bid', 'final_bid', 'unsealed', 'taken_back', 'final_round', 'opened', 'tied'],
  ...['taken', 'put_back', 'all_taken'],
  ...['hammer_fell', 'taken_back_hammer', 'floor_bid'],
  ...['winner_chooses', 'chosen_by_clerk', 'chosen_by_floor', 'chosen_by_winner', 'chosen_by_time'],
  ...['tracts_led', 'standing_bid', 'tracts_extended', 'tract_withdrawn', 'set_sold'],
] as const;
export type Kind = (typeof KINDS)[number];

export class Trace {
  readonly counts = new Map<Kind, number>();
  readonly lines: string[] | null;
  /** The first thing that was wrong, or null. */
  failure: string | null = null;
  readonly #hash = createHash('sha256');
  readonly #time: VirtualTime;

  constructor(time: VirtualTime, keepLines: boolean) {
    this.#time = time;
    this.lines = keepLines ? [] : null;
  }

  note(text: string): void {
    const line = `${this.#time.nowUs} ${text}\n`;
    this.#hash.update(line);
    this.lines?.push(line);
  }

  count(kind: Kind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** Notes that something must not have been as it was. The run ends with the first. */
  fail(what: string): void {
    if (this.failure !== null) return;
    this.failure = what;
    this.note(`WRONG ${what}`);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
