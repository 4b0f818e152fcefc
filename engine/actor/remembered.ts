/**
 * What is kept under an idempotency key: the fingerprint of the request and all that the first answer was made of, so that it
 * can be given again word for word. Answers that depend on what somebody may still fix (not visible, not confirmed) are not
 * kept.
 */
import type { Answer } from '../lot/answers.ts';
import type { AskKey, Reply } from './ask.ts';

/** Whether an answer is given again to the same request under the same key. */
export function isRemembered(answer: Answer): boolean {
  return (
    answer.kind !== 'refused' ||
    (answer.code !== 'not_visible' && answer.code !== 'bid_confirmation_required')
  );
}

/** The text to keep under a key, or null where this answer is not remembered. */
export function remember(key: AskKey, answer: Answer): string | null {
  return isRemembered(answer) ? `${key.fingerprint}\n${JSON.stringify(answer)}` : null;
}

/** What a request under a known key gets: the first answer again, or that the key belongs to another request. */
export function recall(key: AskKey, kept: string): Reply {
  const split = kept.indexOf('\n');
  if (kept.slice(0, split) !== key.fingerprint) return { kind: 'key_reused' };
  return { kind: 'answer', answer: JSON.parse(kept.slice(split + 1)) as Answer, replayed: true };
}
