/**
 * Sealing a batch of events into one journal entry: its public form, the hash that chains it to the entry before, and
 * the private form that the engine folds. The public text is kept exactly as it was hashed, so that it can be served
 * as it is.
 */
import { commitmentTo, type Digest } from '../digest.ts';
import { firstOf, itemAt } from '../first-of.ts';
import { isoFromUs } from '../time.ts';
import { encodeEvents } from './event-codec.ts';
import type { LotEvent } from './events.ts';
import { publicText } from './public-events.ts';
import type { LotState } from './state.ts';

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

/** Seals events that follow on `state`. There must be at least one. */
export function sealEntry(
  state: LotState,
  events: readonly LotEvent[],
  next: LotState,
  nowUs: number,
  digest: Digest,
): SealedEntry {
  const firstSequence = firstOf(events).sequence;
  const sequence = itemAt(events, -1).sequence;
  const commit = (salt: string, cents: number) => commitmentTo(digest, salt, cents);
  // Keys in the order that RFC 8785 wants; a test holds this to canonicalJson.
  const text =
    `{"events":[${events.map((event) => publicText(event, commit)).join(',')}],"first_sequence":${firstSequence},` +
    `"previous_hash":"${state.hash}","recorded_at":"${isoFromUs(nowUs)}","sequence":${sequence}}`;
  return {
    lotId: next.lotId,
    auctionId: next.auctionId,
    firstSequence,
    sequence,
    previousHash: state.hash,
    hash: chainHash(digest, state.hash, text),
    recordedAtUs: nowUs,
    publicText: text,
    privateText: encodeEvents(events),
  };
}

/** The hash of an entry: SHA-256 over the previous hash followed by the entry's canonical text. */
export function chainHash(digest: Digest, previousHash: string, publicText: string): string {
  return digest.sha256(previousHash + publicText);
}
