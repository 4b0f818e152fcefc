/**
 * The commands that wait at one lot, in their order, and never more than the limit: those to be decided next, those to
 * be decided again, and those that are held back until something is loaded. Owned by the lot's actor.
 */

import { errorOf } from '../thrown.ts';
import { Overloaded } from './journal.ts';
import type { PendingCommand } from './pending-command.ts';

export interface MailboxLimits {
  /** Commands that may wait at one lot. */
  readonly mailbox: number;
  /** How often a command is decided before it is given up. */
  readonly attempts: number;
}

/** The commands that still wait after some work; nothing: all of them do. */
// biome-ignore lint/suspicious/noConfusingVoidType: most work gives nothing.
export type Left = readonly PendingCommand[] | void;

export class Mailbox {
  readonly #lotId: number;
  readonly #limits: MailboxLimits;
  #waiting: PendingCommand[] = [];
  #retries: PendingCommand[] = [];
  #heldCount = 0;
  #arrivals = 0;

  constructor(lotId: number, limits: MailboxLimits) {
    this.#lotId = lotId;
    this.#limits = limits;
  }

  /** How many can be decided now. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Takes a command in, or rejects it with `Overloaded` where too many wait. */
  add(pending: PendingCommand): void {
    const total = this.#waiting.length + this.#retries.length + this.#heldCount;
    if (total < this.#limits.mailbox) {
      this.#arrivals += 1;
      pending.arrival = this.#arrivals;
      this.#waiting.push(pending);
    } else pending.reject(new Overloaded(`lot ${this.#lotId} has ${total} commands waiting`));
  }

  /** The oldest that wait, at most `count`; they leave the mailbox. */
  take(count = Number.POSITIVE_INFINITY): PendingCommand[] {
    if (count < this.#waiting.length) return this.#waiting.splice(0, count);
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }

  /** Keeps commands to be decided again, after those that were kept before, until `requeueRetries`. */
  retry(commands: readonly PendingCommand[]): void {
    for (const pending of this.#countAttempts(commands)) this.#retries.push(pending);
  }

  /** Puts what is to be decided again where it was in the queue: before whatever came later. */
  requeueRetries(): void {
    if (this.#retries.length === 0) return;
    this.#putBack(this.#retries);
    this.#retries = [];
  }

  /**
   * Holds commands back until `work` is done, then puts them back where they were, or those alone that it gives; its
   * failure is theirs.
   */
  async holdWhile(commands: readonly PendingCommand[], work: Promise<Left>): Promise<void> {
    this.#heldCount += commands.length;
    try {
      const left = await work;
      this.#putBack(this.#countAttempts(left ?? commands));
    } catch (fault) {
      for (const pending of commands) pending.reject(errorOf(fault));
    }
    this.#heldCount -= commands.length;
  }

  /** Before what waits, by the order of arrival: of two groups that are put back, the later may be the older one. */
  #putBack(commands: readonly PendingCommand[]): void {
    const [last, first] = [commands.at(-1), this.#waiting[0]];
    this.#waiting = [...commands, ...this.#waiting];
    if (last !== undefined && first !== undefined && last.arrival > first.arrival)
      this.#waiting.sort((one, other) => one.arrival - other.arrival);
  }

  /** Counts another attempt of each; one that has had too many is rejected, and left out. */
  #countAttempts(commands: readonly PendingCommand[]): PendingCommand[] {
    return commands.filter((pending) => {
      pending.attempts += 1;
      if (pending.attempts <= this.#limits.attempts) return true;
      const why = `lot ${this.#lotId} is contended: decided ${pending.attempts} times without a commit`;
      pending.reject(new Overloaded(why));
      return false;
    });
  }
}
