/** Why a bid on a falling clock came to its price, and whether a lot's journal follows the rules. */
import type { AuctionRecord } from '../../auction/record.ts';
import type { ExplainedBid, Judge, PastEntry } from '../../lot/format.ts';
import { closed, voided } from './falling-decide.ts';
import type { FallingBidPlaced, FallingEvent } from './falling-events.ts';
import { evolve, NO_LOT } from './falling-evolve.ts';
import { type FallingState, priceAt, quantityLeft } from './falling-state.ts';

/** A lot's entries, oldest first, with the bid among them; null where it is not. */
export function explain(
  history: readonly PastEntry<FallingEvent>[],
  bidId: string,
  record: AuctionRecord,
): ExplainedBid | null {
  let before = NO_LOT;
  for (const { recordedAtUs: nowUs, events } of history) {
    for (const event of events) {
      if (event.type === 'bid_placed' && event.bidId === bidId)
        return explained(before, event, record, nowUs);
      before = evolve(before, event);
    }
  }
  return null;
}

function explained(
  before: FallingState,
  { sequence, bidder, amountCents }: FallingBidPlaced,
  { type }: AuctionRecord,
  nowUs: number,
): ExplainedBid {
  const { startsAtUs, endsAtUs, startingBidCents, stepCents, stepSeconds, floorCents } = before;
  const clock = { startsAtUs, startingBidCents, stepCents, stepSeconds, floorCents };
  return {
    sequence,
    own: { key: bidder.key, userId: bidder.userId, ceilingCents: amountCents },
    rival: null,
    steps: [
      { rule: 7, nowUs, endsAtUs, byFloor: type === 'simulcast' },
      { rule: 21, priceCents: priceAt(before, nowUs), nowUs, ...clock },
    ],
  };
}

/** Calls `judge.fail` where the rules do not make of `before` what the event says. */
export function check(before: FallingState, event: FallingEvent, judge: Judge<FallingEvent>): void {
  if (event.type === 'bid_placed') checkBid(before, event, judge);
  if (event.type === 'bid_voided') {
    const { currentCents, bidCount } = voided(before, event.bidId, event.reason);
    const found = { currentCents: event.currentCents, bidCount: event.bidCount };
    judge.expectSame('void', { currentCents, bidCount }, found);
  }
  if (event.type !== 'lot_closed') return;
  const isTaken = quantityLeft(before) === 0;
  if (!isTaken && judge.recordedAtUs < before.endsAtUs) judge.fail('was closed before its end');
  const { type: _, ...wanted } = closed(before, isTaken ? 'taken' : 'time');
  const { type: __, sequence: ___, ...found } = event;
  judge.expectSame('close', wanted, found);
}

function checkBid(before: FallingState, event: FallingBidPlaced, judge: Judge<FallingEvent>): void {
  const { recordedAtUs, fail, expectSame } = judge;
  if (before.status !== 'active') fail(`a bid on a lot that is ${before.status}`);
  if (!before.paused && recordedAtUs >= before.endsAtUs) fail('a bid at or after the end');
  if (event.take < 1 || event.take > quantityLeft(before)) fail('a bid takes what is not there');
  const { amountCents, currentCents, outcome, leftCount } = event;
  const cents = priceAt(before, recordedAtUs);
  expectSame(
    `bid ${event.bidId}`,
    { amountCents: cents, currentCents: cents, outcome: 'won', leftCount: quantityLeft(before) - event.take },
    { amountCents, currentCents, outcome, leftCount },
  );
}
