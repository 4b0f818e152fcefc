/**
 * The saleroom in a run: straight bids online and from the floor, and a clerk whose hammer is held for a moment and may
 * be taken back. The model knows one increment, and nothing that the clerk has not said.
 */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { EnglishEvent } from '../../../engine/formats/english/english-events.ts';
import type { PlannedLot } from '../plan.ts';
import { MovingEnd } from './moving-end.ts';
import { NO_SOFT_CLOSE, type Played } from './played-format.ts';
import { unequal } from './referee.ts';
import { type Model, type Offer, saleReferee } from './sale-referee.ts';

const INCREMENT = 500;
/** For so long the clerk's hammer may be taken back. */
export const HELD_US = 800_000;

export const SALEROOM: Played = {
  name: 'saleroom',
  draw: (_, record, lots) => ({
    lots: lots.map((lot) => ({ ...lot, buyNowCents: null, reserveCents: null })),
    record: {
      ...record,
      ...{ type: 'simulcast', staggerSeconds: 0, confirmFactor: 0, softClose: NO_SOFT_CLOSE },
      increments: [{ fromCents: 0, incrementCents: INCREMENT }],
    },
    lastEndUs: record.endsAtUs,
  }),
  wish: (dice, { priceCents }) => ({
    amount: Math.max(1, priceCents + dice.pick([0, 0, 0, 500, 2_000, -1])),
  }),
  referee: ({ lots }, record) => saleReferee(lots, record, (lot) => new SaleroomModel(lot, record)),
};

interface Hammer {
  readonly untilUs: number;
  readonly status: string;
  readonly cents: number | null;
  readonly who: string | null;
}

class SaleroomModel implements Model {
  readonly turns = [];
  readonly #end: MovingEnd;
  readonly #lot: PlannedLot;
  #status = 'open';
  #price = 0;
  #leader: string | null = null;
  #hammer: Hammer | null = null;
  /** How long the auction was paused since the hammer fell. */
  #missedUs = 0;
  /** The last of the platform's sequences that was taken. */
  #called = -1;
  #bids: { readonly bidId: string; readonly who: string; readonly cents: number }[] = [];

  constructor(lot: PlannedLot, { startsAtUs, endsAtUs }: AuctionRecord) {
    this.#lot = lot;
    this.#end = new MovingEnd(startsAtUs, endsAtUs, 0);
  }

  get startsAt(): number {
    return this.#end.startsAt;
  }

  get endsAt(): number {
    return this.#end.at;
  }

  #total(cents: number): number {
    const { units } = this.#lot;
    if (units?.isPriced !== true) return cents;
    return Number((BigInt(cents) * BigInt(units.count ?? 0) + 5_000n) / 10_000n);
  }

  isGone = () => this.#status === 'withdrawn';
  /** Only the clerk ends a lot; with the hammer down, nobody bids. */
  isOver = () => this.#status !== 'open' || this.#hammer !== null;

  early({ command: { floor } }: Offer): string | null {
    return floor !== null && floor.sequence <= this.#called ? 'floor_stale' : null;
  }

  refusal({ cents }: Offer): string | null {
    const least = this.#leader === null ? this.#lot.startingBidCents : this.#price + INCREMENT;
    return cents < least ? 'bid_too_low' : null;
  }

  exposure(who: string, bid?: { readonly offer: Offer }): number {
    if (this.isOver() || this.isGone()) return 0;
    if (bid !== undefined) return this.#total(bid.offer.cents);
    return this.#leader === who ? this.#total(this.#price) : 0;
  }

  figures({ currentCents }: Parameters<Model['figures']>[0]): boolean {
    return this.#status !== 'open' || currentCents === this.#price;
  }

  pause(): void {}

  /** The end of a lot that the floor closes moves, whenever that was; with the hammer down, once it is taken back. */
  paused(fromUs: number, toUs: number): void {
    if (this.#status !== 'open') return;
    if (this.#hammer === null) this.#end.at += toUs - fromUs;
    else this.#missedUs += toUs - fromUs;
  }

  outlast(): void {}

  withdrawAll(): void {
    if (!this.isOver()) this.#status = 'withdrawn';
  }

  replay(found: Parameters<Model['replay']>[0], atUs: number): string | null {
    // Cast: the journal of a lot holds its format's events.
    const event = found as EnglishEvent;
    switch (event.type) {
      case 'bid_placed':
        return event.outcome === 'won' ? null : this.#replayBid(event);
      case 'bid_voided': {
        this.#bids = this.#bids.filter(({ bidId }) => bidId !== event.bidId);
        const last = this.#bids.at(-1);
        [this.#price, this.#leader] = [event.currentCents, last?.who ?? null];
        return unequal('the price', event.currentCents, last?.cents ?? 0);
      }
      case 'hammer_fell': {
        const { status, hammerCents: cents, winner } = event.close;
        const isOpen = !this.isOver();
        this.#hammer = { untilUs: event.untilUs, status, cents, who: winner?.key ?? null };
        return (
          unequal('whether a hammer may fall', isOpen, true) ??
          unequal('until when it may be taken back', event.untilUs, atUs + HELD_US)
        );
      }
      case 'lot_reopened': {
        const isInTime = this.#hammer !== null && atUs < this.#hammer.untilUs;
        this.#hammer = null;
        this.#end.at += this.#missedUs;
        this.#missedUs = 0;
        return unequal('taking the hammer back', isInTime, true);
      }
      case 'lot_closed': {
        const hammer = this.#hammer;
        const isDue = hammer !== null && atUs >= hammer.untilUs;
        this.#status = event.status;
        return (
          unequal('a final result', isDue, true) ??
          unequal('how it closed', event.status, hammer?.status) ??
          unequal('the hammer price', event.hammerCents, hammer?.cents) ??
          unequal('the winner', event.winner?.key ?? null, hammer?.who)
        );
      }
      case 'lot_withdrawn':
        this.#status = 'withdrawn';
        return null;
      default:
        return null;
    }
  }

  #replayBid(event: EnglishEvent & { readonly type: 'bid_placed' }): string | null {
    const { bidId, bidder, straightCents, currentCents, floor } = event;
    const cents = straightCents ?? 0;
    const isLate = floor !== null && floor.sequence <= this.#called;
    if (floor !== null) this.#called = floor.sequence;
    const offer = { who: bidder.key, lotId: this.#lot.lotId, cents } as Offer;
    const refused = this.isOver() ? 'lot_closed' : this.refusal(offer);
    this.#bids.push({ bidId, who: bidder.key, cents });
    [this.#price, this.#leader] = [cents, bidder.key];
    return (
      unequal('the bid', null, isLate ? 'floor_stale' : refused) ?? unequal('the price', currentCents, cents)
    );
  }
}
