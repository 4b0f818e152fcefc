/**
 * Batches made by hand, for what no well-behaved actor would send: a wrong version, a stamp of another time, a limit
 * that was assumed wrongly. Everything that is not said is right.
 */

import type { Batch } from '../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../engine/auction/record.ts';
import { formatOf } from '../../engine/formats/formats.ts';
import { sealEntry } from '../../engine/formats/sealing.ts';
import { nextDueUs } from '../../engine/lot/closing.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { aBid, aBidder, sha256 } from '../support/engine-terms.ts';

/** A straight bid of user 1 on `state`, as a batch. */
export function bidBatch(
  state: LotState,
  record: AuctionRecord,
  nowUs: number,
  parts: Partial<Batch> = {},
): Batch {
  const bid = aBid({
    straightCents: state.bidCount === 0 ? state.startingBidCents : state.currentCents + 1_000_00,
  });
  const context = { record, bidder: aBidder(1), exposureCents: 0, nowUs };
  const decision = formatOf(state).decide(state, bid, context);
  if ('need' in decision || decision.events.length === 0) throw new Error('the bid of the batch is refused');
  const entry = sealEntry(state, decision.events, decision.next, nowUs, sha256);
  const next = { ...decision.next, hash: entry.hash, recordedAtUs: nowUs };
  return {
    lotId: state.lotId,
    auctionId: state.auctionId,
    expectedSequence: state.sequence,
    expectedPreviousHash: null,
    recordVersion: record.version,
    lastOutageUs: 0,
    stampUs: nowUs,
    validUntilUs: state.endsAtUs,
    entry,
    next,
    dueUs: nextDueUs(next, record),
    keys: [],
    limits: [],
    exposure: [],
    ...parts,
  };
}

/** A batch of refusals only: it changes nothing, but its preconditions are checked. */
export function refusalBatch(
  state: LotState,
  record: AuctionRecord,
  nowUs: number,
  parts: Partial<Batch> = {},
): Batch {
  return { ...bidBatch(state, record, nowUs), entry: null, next: state, ...parts };
}
