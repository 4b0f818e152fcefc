/**
 * One command on its way through a lot's mailbox, and its result. The key is the caller's idempotency key,
 * already scoped to user and lot, with the fingerprint of the request it was first used for.
 */
import type { Answer } from '../lot/answers.ts';
import type { BidderIdentity, Command } from '../lot/commands.ts';
import type { CommandTrace } from './command-trace.ts';

export interface IdempotencyKey {
  readonly field: string;
  readonly fingerprint: string;
  /** A repeated request is told its first answer's sequence alone, so that nothing else of it is kept. */
  readonly brief?: true;
}

export type CommandResult =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly replayed: boolean }
  /** Given before, under a brief key; null: it has no sequence, as a refusal. */
  | { readonly kind: 'repeated'; readonly sequence: number | null }
  /** The key was used before for another request. */
  | { readonly kind: 'key_reused' }
  /** The command needs the lot's history up to its present sequence. */
  | { readonly kind: 'needs_history' }
  /** There is no such lot, or it is not open to anybody yet. */
  | { readonly kind: 'no_lot' };

export interface PendingCommand {
  readonly command: Command;
  readonly key: IdempotencyKey | null;
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (fault: Error) => void;
  /** Who follows it; null: nobody. */
  readonly trace: CommandTrace | null;
  /** Its place in the order in which the lot's commands came, counted from 1; 0 until it waits in a mailbox. */
  arrival: number;
  /** How often it has been decided again. */
  attempts: number;
}

/** Who the command is decided for, where it is for somebody. */
export function bidderKeyOf(command: Command): string | null {
  return bidderOf(command)?.key ?? null;
}

/** Whom the command is decided for, as far as registering them needs to know. */
export function bidderOf(command: Command): Pick<BidderIdentity, 'key' | 'userId' | 'paddle'> | null {
  if (command.type === 'place_bid' || command.type === 'buy_now' || command.type === 'choose_lots')
    return command.bidder;
  if (command.type === 'resell') return command.buyer;
  return command.type === 'record_sale' && command.result === 'sold' ? command.winner : null;
}
