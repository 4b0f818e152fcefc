/**
 * One entry of a lot's journal: its public form, the hash that chains it to the entry before, and the private form that
 * the engine folds. The public text is kept exactly as it was hashed, so that it can be served as it is.
 */
import type { Digest } from '../digest.ts';

export interface SealedEntry {
  readonly lotId: number;
  readonly auctionId: number;
  readonly firstSequence: number;
  readonly sequence: number;
  readonly previousHash: string;
  readonly hash: string;
  readonly recordedAtUs: number;
  /** The entry without its hash in RFC 8785 form: what the hash is taken over, after the previous hash. */
  readonly publicText: string;
  /** The events, secrets included, as `readEvents` reads them. */
  readonly privateText: string;
  /** The traces that it belongs to; no part of what is hashed, and only there where commands are followed. */
  readonly traces?: readonly EntryTrace[];
}

/** The events from this sequence on, up to the next such, come of a command that is followed under this context. */
export type EntryTrace = readonly [sequence: number, context: string];

/** The hash of an entry: SHA-256 over the previous hash followed by the entry's canonical text. */
export function chainHash(digest: Digest, previousHash: string, publicText: string): string {
  return digest.sha256(previousHash + publicText);
}
