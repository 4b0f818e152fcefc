/**
 * Finds what of a run of frames cannot be written and writes the rest: tries all of it, halves it where that is
 * refused, by lots first and then along one lot's entries, until the first bad entry of each lot is alone. From there
 * on the lot waits, so that its order holds; everything else continues.
 */
import type { Frame } from '../../../adapters/redis/frames.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { errorOf } from '../../../engine/thrown.ts';
import { isHeldUp, isTimeout, isTransient, isUnwritable } from './unwritable.ts';

/** A lot, an auction's record or a bidder that cannot continue, with everything of it from the refused frame on. */
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

/** Frames by what must be written in order. */
export function bySubject(frames: readonly Frame[]): Map<string, Frame[]> {
  const subjects = new Map<string, Frame[]>();
  for (const frame of frames) {
    const subject = subjectOf(frame);
    const own = subjects.get(subject);
    if (own === undefined) subjects.set(subject, [frame]);
    else own.push(frame);
  }
  return subjects;
}

/** Writes these frames whole, or throws and leaves nothing of them behind. */
export type WriteFrames = (frames: readonly Frame[]) => Promise<void>;

/**
 * Each try that meets somebody else's lock waits for it a while. After this many of them what is locked is not searched
 * any more closely: all of the run in hand waits with it, and is retried soon.
 */
const LOCKED_TRIES = 8;
/** So many for statements that do not end, and for what may be the server's: enough to find one lot among thousands. */
const DOUBTFUL_TRIES = 14;

interface Search {
  readonly write: WriteFrames;
  readonly refused: Map<string, UnwritableFrames>;
  /** How many tries may meet a lock, or something else that may pass, still. */
  lockedTries: number;
  doubtfulTries: number;
}

/** Writes all that can be written. Gives what cannot, by subject. Throws what is wrong with the servers. */
export async function writeContained(
  frames: readonly Frame[],
  write: WriteFrames,
): Promise<Map<string, UnwritableFrames>> {
  const search: Search = {
    write,
    refused: new Map(),
    lockedTries: LOCKED_TRIES,
    doubtfulTries: DOUBTFUL_TRIES,
  };
  if (frames.length > 0) await writeOrSplit(search, frames);
  return search.refused;
}

async function writeOrSplit(search: Search, frames: readonly Frame[]): Promise<void> {
  const { refused } = search;
  const error = await attempt(search, frames);
  if (error === null) return;
  const subjects = bySubject(frames);
  const isOver = search.lockedTries <= 0 || search.doubtfulTries <= 0;
  if (frames.length === 1 || (isOver && isTransient(error))) {
    for (const [subject, own] of subjects) refused.set(subject, { error, frames: own });
    return;
  }
  if (subjects.size > 1) {
    const runs = [...subjects.values()];
    const half = runs.length >> 1;
    await writeOrSplit(search, inOrder(frames, runs.slice(0, half)));
    await writeOrSplit(search, inOrder(frames, runs.slice(half)));
    return;
  }
  const half = frames.length >> 1;
  await writeOrSplit(search, frames.slice(0, half));
  const behind = refused.get(subjectOf(firstOf(frames)));
  if (behind === undefined) await writeOrSplit(search, frames.slice(half));
  else behind.frames.push(...frames.slice(half));
}

/** The frames of these runs, as they follow on one another over all. */
function inOrder(frames: readonly Frame[], runs: readonly Frame[][]): Frame[] {
  const wanted = new Set(runs.flat());
  return frames.filter((frame) => wanted.has(frame));
}

async function attempt(search: Search, frames: readonly Frame[]): Promise<Error | null> {
  try {
    await search.write(frames);
    return null;
  } catch (error) {
    if (isHeldUp(error) && !isTimeout(error)) search.lockedTries -= 1;
    else if (isTransient(error)) search.doubtfulTries -= 1;
    else if (!isUnwritable(error)) throw error;
    return errorOf(error);
  }
}
