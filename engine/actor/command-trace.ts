/**
 * How far a command has progressed, for its observers: the engine has no clock, so it only says when. Nearly always
 * there is nobody, and nothing is done for it.
 */
import type { Command } from '../lot/commands.ts';
import type { CommitResult } from './journal.ts';

export interface CommandTrace {
  /** What its journal entry keeps, once it is decided, so that readers of the entry can continue from there. */
  readonly context: string | null;
  /** It leaves the mailbox. */
  deciding(): void;
  /** It goes back: something has to be loaded first. */
  waiting(): void;
  /** It goes to the journal. */
  decided(): void;
  /** The journal has answered; but for `committed` it is decided again, or given up. */
  settled(result: CommitResult['kind']): void;
  /** Its sender has the answer, or the fault. */
  done(outcome: string): void;
}

/** Gives what follows a command, where anybody does. */
export type CommandTracer = (command: Command, lotId: number) => CommandTrace | null;
