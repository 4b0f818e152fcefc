/** Why a bid of a tender came out as it did, and whether a lot's journal follows rule 22. */
import type { AuctionRecord } from '../../auction/record.ts';
import type { ExplainedBid, Judge, OpenedSecret, Openings, PastEntry } from '../../lot/format.ts';
import { closed, finalistsOf, priceCents, ranked } from './opening-bids.ts';
import {
  type BidSealed,
  type BidsOpened,
  isSilent,
  type TenderBidPlaced,
  type TenderEvent,
} from './tender-events.ts';
import { evolve, NO_LOT } from './tender-evolve.ts';
import { type OpenedBid, ownBidOf, type SealedBid, type TenderState } from './tender-state.ts';

/** A lot's entries, oldest first, with the bid among those that were opened; null: it is not. */
export function explain(
  history: readonly PastEntry<TenderEvent>[],
  bidId: string,
  { type }: AuctionRecord,
): ExplainedBid | null {
  let state = NO_LOT;
  let placed: { readonly nowUs: number; readonly endsAtUs: number } | null = null;
  let opened: readonly OpenedBid[] = [];
  const past = history.flatMap(({ recordedAtUs, events }) =>
    events.map((event) => ({ event, recordedAtUs })),
  );
  for (const { event, recordedAtUs } of past) {
    if (event.type === 'bid_sealed' && event.bidId === bidId)
      placed = { nowUs: recordedAtUs, endsAtUs: state.endsAtUs };
    if (event.type === 'bids_opened') opened = event.bids;
    if (event.type === 'bid_placed' && event.bidId === bidId) return secondChance(event);
    state = evolve(state, event);
  }
  const bid = opened.find((one) => one.bidId === bidId);
  if (bid === undefined || placed === null) return null;
  const { sequence, key, userId, cents, rank } = bid;
  const { pays, secondCents } = state;
  const isWinner = rank === 1 && state.top?.bidId === bidId && state.status === 'sold';
  const count = opened.filter((one) => one.rank !== null).length;
  const paidCents = isWinner ? priceCents(state) : null;
  return {
    sequence,
    own: { key, userId, ceilingCents: cents },
    rival: null,
    steps: [
      { rule: 7, ...placed, byFloor: type === 'simulcast' },
      { rule: 22, bidCents: cents, rank, count, paidCents, pays, secondCents },
    ],
  };
}

function secondChance({ sequence, bidder, amountCents }: TenderBidPlaced): ExplainedBid {
  const own = { key: bidder.key, userId: bidder.userId, ceilingCents: amountCents };
  return { sequence, own, rival: null, steps: [{ rule: 10, hammerCents: amountCents }] };
}

/** Once the bids are opened, all of them and the reserve are everybody's. */
export function openings(events: readonly TenderEvent[], ownerUserId: number | null): Openings {
  const isOver = events.some(({ type }) => type === 'lot_closed');
  const bids = events.flatMap((event) => (event.type === 'bids_opened' ? event.bids : []));
  const isWanted = ({ userId }: OpenedBid) => ownerUserId === null || userId === ownerUserId;
  const secrets = bids.filter(isWanted).map(({ sequence, bidId, salt, cents }): OpenedSecret => {
    return { sequence, kind: 'ceiling', bidId, salt, cents };
  });
  const reserves = ownerUserId === null && isOver ? events.flatMap(openedReserve) : [];
  return { closed: isOver, secrets: [...reserves, ...secrets] };
}

function openedReserve(event: TenderEvent): OpenedSecret[] {
  if (event.type !== 'lot_scheduled' && event.type !== 'terms_changed') return [];
  const { sequence, salt, reserveCents } = event;
  return reserveCents === null ? [] : [{ sequence, kind: 'reserve', bidId: null, salt, cents: reserveCents }];
}

/** Calls `judge.fail` where the rules do not make of `before` what the event says. */
export function check(before: TenderState, event: TenderEvent, judge: Judge<TenderEvent>): void {
  const { fail } = judge;
  if (isSilent(event)) checkTime(before, judge);
  switch (event.type) {
    case 'bid_sealed':
      checkSealed(before, event, judge);
      break;
    case 'bid_unsealed':
      if (!before.bids.some(({ bidId }) => bidId === event.bidId))
        fail('takes back a bid that does not stand');
      break;
    case 'final_round_opened':
      if (before.finalRound === null || before.round === 2) fail('a final round that is not to be');
      break;
    case 'bids_opened':
      checkOpened(before, event, judge);
      break;
    case 'lot_closed':
      if (event.reason === 'time') checkClosed(before, event, judge);
      break;
  }
}

function checkTime(
  { paused, endsAtUs, status }: TenderState,
  { recordedAtUs, fail }: Judge<TenderEvent>,
): void {
  if (!paused && recordedAtUs >= endsAtUs) fail('a bid at or after the end');
  if (status !== 'active') fail(`a bid on a lot that is ${status}`);
}

function checkSealed(
  before: TenderState,
  { bidder, replaces }: BidSealed,
  { fail, expectSame }: Judge<TenderEvent>,
): void {
  const present = ownBidOf(before, bidder.key);
  expectSame('what it replaces', present?.bidId ?? null, replaces);
  if (before.round === 2 && present?.round !== 1) fail('a bid in the final round without a first one');
}

function checkClosed(
  before: TenderState,
  event: Extract<TenderEvent, { type: 'lot_closed' }>,
  { expectSame }: Judge<TenderEvent>,
): void {
  const { type: _, ...wanted } = closed(before);
  const { type: __, sequence: ___, ...found } = event;
  expectSame('close', wanted, found);
}

function checkOpened(before: TenderState, { bids }: BidsOpened, judge: Judge<TenderEvent>): void {
  const { past, recordedAtUs, fail, expectSame, commit } = judge;
  if (recordedAtUs < before.endsAtUs) fail('was opened before its end');
  const named = (some: readonly (SealedBid | OpenedBid)[]) => some.map(({ bidId }) => bidId).sort();
  expectSame('the opened bids', named([...before.bids, ...before.firsts]), named(bids));
  const sealed = new Map(past.filter(isSealing).map((bid) => [bid.bidId, bid]));
  for (const { bidId, salt, cents } of bids)
    expectSame(`the commitment of ${bidId}`, commit(salt, cents), sealed.get(bidId)?.commitment ?? null);
  const isFirst = ({ bidId }: OpenedBid) => before.firsts.some((first) => first.bidId === bidId);
  const ranks = (some: readonly OpenedBid[]) => some.map(({ bidId, rank }) => [bidId, rank]);
  const replaced = bids.filter(isFirst);
  const others = bids.filter((bid) => !isFirst(bid));
  expectSame('the ranks', ranks(ranked(others, replaced)), ranks(bids));
  if (before.finalRound !== null) checkFinalists(bids, before.finalRound, fail);
}

function isSealing(event: TenderEvent): event is BidSealed {
  return event.type === 'bid_sealed';
}

/** By the first bids of all, whoever has bid once more was among the highest. */
function checkFinalists(bids: readonly OpenedBid[], count: number, fail: (what: string) => never): void {
  const keys = new Set(
    finalistsOf(
      ranked(
        bids.filter(({ round }) => round === 1),
        [],
      ),
      count,
    ),
  );
  const stranger = bids.find(({ round, key }) => round === 2 && !keys.has(key));
  if (stranger !== undefined)
    fail(`bid ${stranger.bidId} in the final round is of somebody who was not in it`);
}
