/**
 * How many bids had which outcome, counted in plain numbers: two look-ups for each bid. The engine adds, readers of
 * figures reads. A bid that is answered again under its key counts as `replayed`, and one that the journal could not
 * take as `failed`.
 */

import type { Channel } from '../lot/channels.ts';
import type { Command } from '../lot/commands.ts';
import { JournalUnavailable, Overloaded } from './journal.ts';
import type { CommandResult } from './pending-command.ts';

/** Bids over one channel that came to the same. */
export interface BidCount {
  readonly channel: Channel;
  /** The outcome in the bidder's answer, or `refused`, `replayed`, `failed`. */
  readonly outcome: string;
  /** Why it was refused or failed; empty otherwise. */
  readonly code: string;
  count: number;
}

/** Called with every answer to a bid. */
export type BidListener = (command: PlacedBid, result: CommandResult) => void;

export type PlacedBid = Extract<Command, { type: 'place_bid' | 'buy_now' }>;

export class BidTally {
  /** For those who trace single bids; null by default. */
  listener: BidListener | null = null;
  /** By what the bid came to, which no two outcomes and codes share. */
  readonly #counts = new Map<Channel, Map<string, BidCount>>();

  /** All counts so far. */
  all(): BidCount[] {
    return [...this.#counts.values()].flatMap((counts) => [...counts.values()]);
  }

  /** Counts the answer to a command, where that is a bid. */
  answered(command: Command, result: CommandResult): void {
    if (this.listener !== null && isBid(command)) this.listener(command, result);
    if (result.kind === 'repeated') {
      this.#add(command, 'replayed', '');
      return;
    }
    if (result.kind !== 'answer') {
      this.#add(command, 'refused', codeOf(result.kind));
      return;
    }
    const { answer, replayed } = result;
    if (replayed) this.#add(command, 'replayed', '');
    else if (answer.kind === 'bid') this.#add(command, answer.outcome, '');
    else if (answer.kind === 'refused') this.#add(command, 'refused', answer.code);
  }

  /** Counts a command that got no answer, where that is a bid. */
  failed(command: Command, fault: Error): void {
    this.#add(command, 'failed', faultCodeOf(fault));
  }

  #add(command: Command, outcome: string, code: string): void {
    if (!isBid(command)) return;
    const channel = command.type === 'place_bid' ? command.channel : 'online';
    let counts = this.#counts.get(channel);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(channel, counts);
    }
    const kind = code === '' ? outcome : code;
    const known = counts.get(kind);
    if (known === undefined) counts.set(kind, { channel, outcome, code, count: 1 });
    else known.count += 1;
  }
}

function isBid(command: Command): command is PlacedBid {
  return command.type === 'place_bid' || command.type === 'buy_now';
}

function codeOf(kind: Exclude<CommandResult['kind'], 'answer' | 'repeated'>): string {
  if (kind === 'key_reused') return 'idempotency_key_reused';
  return kind === 'no_lot' ? 'not_found' : kind;
}

function faultCodeOf(fault: Error): string {
  if (fault instanceof Overloaded) return 'overloaded';
  return fault instanceof JournalUnavailable ? 'journal_unavailable' : 'internal';
}
