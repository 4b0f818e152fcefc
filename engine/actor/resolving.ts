/**
 * Telling everybody of a batch what came of it, those too who sent the same command under the same key. Called by the
 * lot's actor.
 */

import { present } from '../first-of.ts';
import { errorOf } from '../thrown.ts';
import { replayAnswer } from './idempotency-record.ts';
import type { PendingCommand } from './pending-command.ts';
import type { Decided } from './prepare.ts';

/** The batch is committed: each gets its answer. */
export function resolveCommitted(decided: readonly Decided[]): void {
  for (const { pending, answer, followers } of decided) {
    pending.trace?.settled('committed');
    pending.resolve({ kind: 'answer', answer, replayed: false });
    for (const follower of followers) {
      const same = follower.key?.fingerprint === pending.key?.fingerprint;
      follower.resolve(same ? { kind: 'answer', answer, replayed: true } : { kind: 'key_reused' });
    }
  }
}

/** Some keys were used before: those get their first answer again. Gives the commands of the others. */
export function resolveReplays(
  decided: readonly Decided[],
  records: ReadonlyMap<string, string>,
  opened: (kept: string) => string,
): PendingCommand[] {
  const others = decided.filter(({ pending, followers }) => {
    const kept = pending.key === null ? undefined : records.get(pending.key.field);
    if (kept === undefined) return true;
    for (const waiting of [pending, ...followers]) {
      try {
        waiting.resolve(replayAnswer(present(waiting.key), opened(kept)));
      } catch (fault) {
        waiting.reject(errorOf(fault));
      }
    }
    return false;
  });
  return commandsOf(others);
}

/** Nobody knows whether the batch is committed. */
export function rejectAll(decided: readonly Decided[], fault: Error): void {
  for (const pending of commandsOf(decided)) pending.reject(fault);
}

/** The commands of a batch in the order in which they came. */
export function commandsOf(decided: readonly Decided[]): PendingCommand[] {
  return decided.flatMap(({ pending, followers }) => [pending, ...followers]);
}
