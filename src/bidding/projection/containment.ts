/**
 * Finds what of a run of frames cannot be written and writes the rest: tries all of it, halves it where that is
 * refused, by lots first and then along one lot's entries, until the first bad entry of each lot is alone. From there
 * on the lot waits, so that its order holds; everything else goes on.
 */
import type { Frame } from '../../../adapters/redis/frames.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { errorOf } from '../../../engine/thrown.ts';
import { isUnwritable } from './unwritable.ts';

/** A lot, an auction's record or a bidder that cannot go on, with everything of it from the refused frame on. */
export interface UnwritableFrames {
  readonly error: Error;
  readonly frames: Frame[];
}

/** What must be written in order: a lot's entries, an auction's records, a bidder's registrations. */
export function subjectOf(frame: Frame): string {
  if (frame.kind === 'entry') return `lot:${frame.entry.lotId}`;
  if (frame.event.type === 'auction_recorded') return `auction:${frame.auctionId}`;
  return `bidder:${frame.auctionId}|${frame.event.bidder.key}`;
}

/** Writes these frames whole, or throws and leaves nothing of them behind. */
export type WriteFrames = (frames: readonly Frame[]) => Promise<void>;

/** Writes all that can be written. Gives what cannot, by subject. Throws what is wrong with the servers. */
export async function writeContained(
  frames: readonly Frame[],
  write: WriteFrames,
): Promise<Map<string, UnwritableFrames>> {
  const refused = new Map<string, UnwritableFrames>();
  await writeOrSplit(frames, write, refused);
  return refused;
}

async function writeOrSplit(
  frames: readonly Frame[],
  write: WriteFrames,
  refused: Map<string, UnwritableFrames>,
): Promise<void> {
  const error = await attempt(() => write(frames));
  if (error === null) return;
  const subjects = [...new Set(frames.map(subjectOf))];
  if (subjects.length > 1) {
    const first = new Set(subjects.slice(0, subjects.length >> 1));
    await writeOrSplit(
      frames.filter((frame) => first.has(subjectOf(frame))),
      write,
      refused,
    );
    await writeOrSplit(
      frames.filter((frame) => !first.has(subjectOf(frame))),
      write,
      refused,
    );
    return;
  }
  const subject = firstOf(subjects);
  if (frames.length === 1) {
    refused.set(subject, { error, frames: [...frames] });
    return;
  }
  const half = frames.length >> 1;
  await writeOrSplit(frames.slice(0, half), write, refused);
  const behind = refused.get(subject);
  if (behind === undefined) await writeOrSplit(frames.slice(half), write, refused);
  else behind.frames.push(...frames.slice(half));
}

async function attempt(work: () => Promise<void>): Promise<Error | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return errorOf(error);
  }
}
