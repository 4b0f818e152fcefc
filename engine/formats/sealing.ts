/**
 * Sealing a batch of events into one journal entry, chained to the one before it. Called by the actors, and by whoever
 * puts a lot into the journal.
 */
import { commitmentTo, type Digest } from '../digest.ts';
import { firstOf, itemAt } from '../first-of.ts';
import { chainHash, type SealedEntry } from '../lot/entry.ts';
import type { LotEvent } from '../lot/events.ts';
import type { LotState } from '../lot/state.ts';
import { isoFromUs } from '../time.ts';
import { formatOf } from './formats.ts';

/** Seals events that follow on `state`. There must be at least one. */
export function sealEntry(
  state: LotState,
  events: readonly LotEvent[],
  next: LotState,
  nowUs: number,
  digest: Digest,
): SealedEntry {
  const format = formatOf(next);
  const firstSequence = firstOf(events).sequence;
  const sequence = itemAt(events, -1).sequence;
  const commit = (salt: string, cents: number) => commitmentTo(digest, salt, cents);
  // Keys in the order that RFC 8785 wants; a test holds this to canonicalJson.
  const text =
    `{"events":[${events.map((event) => format.publicEvent(event, next.decimals, commit)).join(',')}],"first_sequence":${firstSequence},` +
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
    privateText: format.codec.encodeEvents(events),
  };
}
