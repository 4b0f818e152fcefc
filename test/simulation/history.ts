/**
 * Everything that was asked in a run and what was answered, with the range of the journal's log and clock in
 * between. Written by the bidders while it happens, read by the checks when it is over.
 */
import type { CommandResult } from '../../engine/actor/pending-command.ts';
import type { BidCommand } from '../../engine/lot/commands.ts';
import type { SimRedis } from './sim-redis.ts';

/** One request of one bidder; it may be delivered several times, each time under a bid id of its own. */
export interface Operation {
  readonly id: number;
  readonly auctionId: number;
  readonly lotId: number;
  /** Null: sent without an idempotency key, and so once only. */
  readonly key: string | null;
  readonly fingerprint: string;
  readonly attempts: Attempt[];
}

/** The journal's position: how many frames its log had, and its clock. */
export interface Mark {
  readonly frames: number;
  readonly clockUs: number;
  /** How many of the clock's readings around its settings had been noted by then. */
  readonly steps: number;
}

export interface Attempt {
  readonly command: BidCommand;
  readonly machine: string;
  readonly life: number;
  readonly submitted: Mark;
  answered: Mark | null;
  result: CommandResult | null;
  fault: Error | null;
}

export class History {
  readonly operations: Operation[] = [];
  readonly #redis: SimRedis;

  constructor(redis: SimRedis) {
    this.#redis = redis;
  }

  mark(): Mark {
    const { store, clocksAroundSteps } = this.#redis;
    return { frames: store.log.length, clockUs: this.#redis.nowUs(), steps: clocksAroundSteps.length };
  }
}
