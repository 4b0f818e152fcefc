/** Telling everybody of a batch what came of it, those too who asked the same under the same key. Called by the lot's actor. */

import { replayAnswer } from './idempotency-record.ts';
import type { Decided } from './prepare.ts';

/** The batch stands: each gets its answer. */
export function resolveCommitted(decided: readonly Decided[]): void {
  for (const { pending: ask, answer, followers } of decided) {
    ask.resolve({ kind: 'answer', answer, replayed: false });
    for (const follower of followers) {
      const same = follower.key!.fingerprint === ask.key!.fingerprint;
      follower.resolve(same ? { kind: 'answer', answer, replayed: true } : { kind: 'key_reused' });
    }
  }
}

/** Some keys were used before: those get their first answer again. Gives the others. */
export function resolveReplays(decided: readonly Decided[], known: ReadonlyMap<string, string>): Decided[] {
  return decided.filter(({ pending: ask, followers }) => {
    const kept = ask.key === null ? undefined : known.get(ask.key.field);
    if (kept === undefined) return true;
    for (const waiting of [ask, ...followers]) waiting.resolve(replayAnswer(waiting.key!, kept));
    return false;
  });
}

/** Nobody knows whether the batch stands. */
export function rejectAll(decided: readonly Decided[], fault: Error): void {
  for (const { pending: ask, followers } of decided) {
    for (const waiting of [ask, ...followers]) waiting.reject(fault);
  }
}
