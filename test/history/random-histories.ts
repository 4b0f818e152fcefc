/**
 * Makes histories for the tests of the history check: a marketplace in a few lines takes random bids in one order,
 * loses answers and hears tries twice, and records what its clients saw. The same seed gives the same history.
 */
import { applyBid, firstView, fold, type LotView, newEndUs, priceRefusal } from './rules.ts';
import type { JournalItem, LotHistory, Operation, OperationAnswer } from './terms.ts';

/** Numbers from 0 to below 1. */
export type Dice = () => number;

/** Mulberry32. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function below(dice: Dice, count: number): number {
  return Math.floor(dice() * count);
}

export interface Shape {
  readonly lotId: number;
  readonly bids: number;
  readonly bidders: number;
  /** How long before and after its decision a request may begin and end, at most. */
  readonly slowUs: number;
  /** Between decisions, on average. */
  readonly gapUs: number;
  /** Shares of bids: answers that get lost, tries that come twice. */
  readonly lost: number;
  readonly twice: number;
}

export interface MadeHistory {
  readonly lot: LotHistory;
  readonly operations: Operation[];
}

const START_US = 1_000_000;

/** A lot from its opening to its close, and everything that was asked of it. */
export function makeHistory(dice: Dice, shape: Shape): MadeHistory {
  const { lotId, bids, gapUs } = shape;
  const endsAtUs = START_US + Math.ceil(bids * gapUs * 0.9);
  const terms: LotHistory = {
    lotId,
    auctionId: lotId,
    startingBidCents: 1_000,
    reserveCents: dice() < 0.5 ? null : 1_000 + below(dice, 4_000),
    startsAtUs: START_US,
    endsAtUs,
    increments: dice() < 0.5 ? null : [{ fromCents: 0, incrementCents: 100 }],
    softClose:
      dice() < 0.5 ? null : { windowUs: gapUs * 2, extensionUs: gapUs * 2, maxExtensions: below(dice, 3) },
    limitCents: dice() < 0.8 ? null : 2_500 + below(dice, 4_000),
    pauses: [],
    items: [],
  };
  const house = new House(terms);
  const operations: Operation[] = [];
  let nowUs = START_US - gapUs;
  for (let at = 0; at < bids; at += 1) {
    nowUs += Math.round(dice() * 2 * gapUs);
    operations.push(...makeOperations(dice, shape, house, nowUs, at));
  }
  house.advance(Math.max(nowUs, house.view.endsAtUs));
  return { lot: { ...terms, items: house.items }, operations };
}

/** The lot's side: decides at once and keeps the journal. */
class House {
  view: LotView;
  readonly items: JournalItem[] = [];
  readonly #lot: LotHistory;
  #sequence = 1;

  constructor(lot: LotHistory) {
    this.#lot = lot;
    this.view = firstView(lot);
  }

  #add(item: JournalItem): void {
    const { view, fault } = fold(this.#lot, this.view, item);
    if (fault !== null) throw new Error(fault);
    this.items.push(item);
    this.view = view;
    this.#sequence = item.sequence;
  }

  /** Opens or closes the lot where it is time. */
  advance(atUs: number): void {
    const { status, startsAtUs, endsAtUs } = this.view;
    if (status === 'scheduled' && atUs >= startsAtUs)
      this.#add({ kind: 'opened', sequence: this.#sequence + 1, atUs });
    if (this.view.status !== 'active' || atUs < endsAtUs) return;
    const { leader, currentCents } = this.view;
    const met = this.#lot.reserveCents === null || currentCents >= this.#lot.reserveCents;
    const sold = leader !== null && met;
    this.#add({
      kind: 'closed',
      sequence: this.#sequence + 1,
      atUs,
      status: leader === null ? 'unsold' : sold ? 'sold' : 'passed',
      hammerCents: sold ? currentCents : null,
      winner: sold ? leader : null,
    });
  }

  decide(offer: Pick<Operation, 'bidder' | 'straightCents' | 'ceilingCents'>, atUs: number): OperationAnswer {
    if (atUs < this.view.endsAtUs) this.advance(atUs);
    const { view } = this;
    const own = view.leader === offer.bidder ? view.ceilingCents : 0;
    const over = Math.max(own, offer.ceilingCents) > (this.#lot.limitCents ?? Number.POSITIVE_INFINITY);
    const code =
      view.status === 'closed' || atUs >= view.endsAtUs
        ? 'lot_closed'
        : atUs < view.startsAtUs
          ? 'lot_not_started'
          : (priceRefusal(view, offer) ?? (over ? 'bid_limit_exceeded' : null));
    if (code !== null) {
      const { currentCents, minimumNextCents, endsAtUs } = view;
      return { kind: 'refused', code, standing: { currentCents, minimumNextCents, endsAtUs } };
    }
    const placed = applyBid(this.#lot, view, offer);
    const { leader, currentCents, outcome } = placed;
    const sequence = this.#sequence + 1;
    const bidId = `b${sequence}`;
    const extendedToUs = newEndUs(this.#lot, view, { atUs }, placed);
    this.#add({ kind: 'bid', ...offer, sequence, atUs, bidId, outcome, currentCents, leader, extendedToUs });
    return { kind: 'accepted', sequence, bidId, outcome };
  }
}

function makeOperations(dice: Dice, shape: Shape, house: House, nowUs: number, at: number): Operation[] {
  const { minimumNextCents } = house.view;
  const over = minimumNextCents + (below(dice, 8) - 2) * 50;
  const kind = below(dice, 4);
  const straightCents = kind === 0 ? null : Math.max(1, over);
  const ceilingCents = kind < 2 ? Math.max(1, over) + below(dice, 4) * 150 : Math.max(1, over);
  const offer = { bidder: `p${below(dice, shape.bidders)}`, straightCents, ceilingCents };
  const slow = () => Math.round(dice() ** 3 * shape.slowUs);
  const key = dice() < 0.9 ? `k${at}` : null;
  const begin = nowUs - slow();
  const first = {
    lotId: shape.lotId,
    ...offer,
    key,
    invokedUs: begin,
    returnedUs: nowUs + slow(),
  };
  if (dice() < shape.lost / 4) {
    return [{ ...first, answer: { kind: dice() < 0.5 ? 'unknown' : 'nothing_recorded' } }];
  }
  const answer = house.decide(offer, nowUs);
  const isLost = dice() < shape.lost;
  const recorded: Operation = { ...first, answer: isLost ? { kind: 'unknown' } : answer };
  if (key === null || dice() >= (isLost ? 0.6 : shape.twice)) return [recorded];
  const againUs = Math.max(begin, nowUs - slow()) + slow();
  return [recorded, { ...first, invokedUs: againUs, returnedUs: Math.max(againUs, nowUs) + slow(), answer }];
}
