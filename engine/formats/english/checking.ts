/** Whether a lot's journal follows the rules: what a bid, a close and a void must have come to. */
import type { Judge } from '../../lot/format.ts';
import { closedByTime } from './ending.ts';
import type { EnglishBidPlaced, EnglishBidVoided, EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';
import { checkHeld } from './held-hammer.ts';
import { historicItems } from './historic-bids.ts';
import { applyBid } from './lead.ts';
import { reapply } from './voiding.ts';

/** Calls `judge.fail` where the rules do not make of `before` what the event says. */
export function check(before: EnglishState, event: EnglishEvent, judge: Judge<EnglishEvent>): void {
  if (event.type === 'bid_placed' && !judge.isSecondChance) checkBid(before, event, judge);
  if (event.type === 'bid_voided') checkVoid(event, judge);
  if (event.type === 'lot_closed' || event.type === 'lot_reopened') checkHeld(before, event, judge);
  if (event.type !== 'lot_closed' || event.reason !== 'time') return;
  if (judge.recordedAtUs < before.endsAtUs) judge.fail('was closed before its end');
  const { status, hammerCents, winner } = closedByTime(before);
  const found = { status: event.status, hammerCents: event.hammerCents, winner: event.winner };
  judge.expectSame('close', { status, hammerCents, winner }, found);
}

function checkVoid(event: EnglishBidVoided, { past, record, expectSame }: Judge<EnglishEvent>): void {
  const { currentCents, leader, bidCount, bidId } = event;
  const after = reapply(historicItems(past), record.increments, new Set([bidId]));
  expectSame('void', { ...after, rows: null }, { currentCents, leader, bidCount, rows: null });
}

function checkBid(before: EnglishState, event: EnglishBidPlaced, judge: Judge<EnglishEvent>): void {
  const { record, recordedAtUs, fail, expectSame } = judge;
  if (event.outcome === 'won' && event.channel !== 'online') return;
  if (before.status !== 'active') fail(`a bid on a lot that is ${before.status}`);
  const timed = record.type === 'timed' && !before.paused;
  if (timed && recordedAtUs >= before.endsAtUs) fail('a bid at or after the end');
  if (event.outcome === 'won') return;
  const lead = {
    currentCents: before.currentCents,
    leader: before.leader && { who: before.leader.key, ceilingCents: before.leader.ceilingCents },
  };
  const { outcome, currentCents, listedCents, straightCents, ceilingCents, leader } = event;
  const bid = { who: event.bidder.key, straightCents, ceilingCents };
  const { startingBidCents, reserveCents } = before;
  const pricing = { startingBidCents, reserveCents, increments: record.increments };
  const ledBy = { who: leader.key, ceilingCents: leader.ceilingCents };
  const recorded = { outcome, currentCents, listedCents, leader: ledBy };
  expectSame(`bid ${event.bidId}`, applyBid(lead, bid, pricing), recorded);
}
