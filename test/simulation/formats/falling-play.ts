/** The falling clock in a run: lots of several pieces, and a model in which what holds the sale up moves its start. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { FallingEvent } from '../../../engine/formats/falling/falling-events.ts';
import type { PlannedLot } from '../plan.ts';
import { NO_SOFT_CLOSE, type Played, SECOND, text } from './played-format.ts';
import { unequal } from './referee.ts';
import { type Model, type Offer, saleReferee } from './sale-referee.ts';

export const FALLING: Played = {
  name: 'falling',
  draw(dice, record, lots) {
    const clocks = lots.map(({ units: _, ...lot }) => {
      const steps = dice.between(1, 4);
      const step = dice.between(5, 60) * 100;
      const floor = dice.between(10, 60) * 100;
      const floorSeconds = dice.between(0, 1);
      const start = floor + step * steps - dice.pick([0, 0, 1, 99]);
      const settings = {
        ...{ start_price: text(start), step: text(step), step_seconds: 1, floor_price: text(floor) },
        ...{ floor_seconds: floorSeconds, quantity: dice.pick([1, 2, 5, 12]) },
      };
      const planned: PlannedLot = {
        ...lot,
        ...{ startingBidCents: start, reserveCents: null, buyNowCents: null, settings },
        ...(settings.quantity === 1 && dice.chance(0.4)
          ? { units: { count: dice.between(1, 40_000), name: 'acre', isPriced: true } }
          : {}),
      };
      const lastsUs = (steps + floorSeconds) * SECOND;
      const startsAtUs = record.startsAtUs + (lot.lotNumber - 1) * record.staggerSeconds * SECOND;
      return { planned, endsAtUs: startsAtUs + lastsUs };
    });
    const endsAtUs = Math.max(...clocks.map((one) => one.endsAtUs));
    return {
      lots: clocks.map(({ planned }) => planned),
      record: { ...record, format: 'falling', endsAtUs, softClose: NO_SOFT_CLOSE, confirmFactor: 0 },
      lastEndUs: endsAtUs,
    };
  },
  wish: (dice, { priceCents }) => ({
    amount: Math.max(1, priceCents + dice.pick([0, 0, 0, 500, 9_000, -1, -500])),
    take: dice.pick([1, 1, 1, 2, 3]),
  }),
  referee: ({ lots }, record) => saleReferee(lots, record, (lot) => new FallingModel(lot, record)),
};

interface Bought {
  readonly bidId: string;
  readonly who: string;
  readonly price: number;
  readonly take: number;
}

class FallingModel implements Model {
  startsAt: number;
  endsAt: number;
  #bought: Bought[] = [];
  #isPaused = false;
  #status: string = 'open';
  readonly #start: number;
  readonly #step: number;
  readonly #stepUs: number;
  readonly #floor: number;
  readonly #quantity: number;
  readonly #units: number;

  constructor({ settings = {}, units, lotNumber }: PlannedLot, record: AuctionRecord) {
    const cents = (name: string) => Math.round(Number(settings[name]) * 100);
    this.#start = cents('start_price');
    this.#step = cents('step');
    this.#stepUs = Number(settings['step_seconds']) * SECOND;
    this.#floor = cents('floor_price');
    this.#quantity = Number(settings['quantity']);
    this.#units = units?.isPriced === true ? (units.count ?? 10_000) : 10_000;
    this.startsAt = record.startsAtUs + (lotNumber - 1) * record.staggerSeconds * SECOND;
    let lastsUs = Number(settings['floor_seconds']) * SECOND;
    for (let price = this.#start; price > this.#floor; price -= this.#step) lastsUs += this.#stepUs;
    this.endsAt = this.startsAt + lastsUs;
  }

  get turns(): number[] {
    const turns: number[] = [];
    for (let atUs = this.startsAt; atUs < this.endsAt; atUs += this.#stepUs) turns.push(atUs);
    return turns;
  }

  price(atUs: number): number {
    let price = this.#start;
    for (let at = this.startsAt + this.#stepUs; at <= atUs && price > this.#floor; at += this.#stepUs)
      price -= this.#step;
    return Math.max(this.#floor, price);
  }

  /** Rounded half up. */
  #total({ price, take }: Pick<Bought, 'price' | 'take'>): number {
    const parts = BigInt(price) * BigInt(this.#units) + 5_000n;
    return Number(parts / 10_000n) * take;
  }

  get #left(): number {
    return this.#bought.reduce((left, { take }) => left - take, this.#quantity);
  }

  isGone = () => this.#status === 'withdrawn';
  isOver = (atUs: number) => this.#status !== 'open' || atUs >= this.endsAt;

  refusal({ cents, command: { take = 1 } }: Offer, atUs: number): string | null {
    if (cents < this.price(atUs)) return 'bid_too_low';
    return take > this.#left ? 'not_enough_left' : null;
  }

  exposure(who: string, bid?: { readonly offer: Offer; readonly atUs: number }): number {
    if (this.#status !== 'open') return 0;
    const own = this.#bought.filter((one) => one.who === who);
    const { offer, atUs } = bid ?? {};
    const more =
      offer === undefined || atUs === undefined
        ? 0
        : this.#total({ price: this.price(atUs), take: offer.command.take ?? 1 });
    return own.reduce((sum, one) => sum + this.#total(one), more);
  }

  figures({ minimumNextCents, fields = {}, code }: Parameters<Model['figures']>[0], _: Offer, atUs: number) {
    if (code !== 'bid_too_low' && code !== 'not_enough_left') return true;
    return minimumNextCents === this.price(atUs) && fields['quantity_left'] === this.#left;
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  paused(fromUs: number, toUs: number): void {
    if (this.endsAt > fromUs) this.#hold(toUs - fromUs);
  }

  outlast(fromUs: number, toUs: number): void {
    if (this.startsAt < toUs && this.endsAt > fromUs) this.#hold(toUs - Math.max(fromUs, this.startsAt));
  }

  #hold(byUs: number): void {
    if (this.#status !== 'open') return;
    this.startsAt += byUs;
    this.endsAt += byUs;
  }

  withdrawAll(): void {
    if (this.#status === 'open') this.#status = 'withdrawn';
  }

  replay(found: Parameters<Model['replay']>[0], atUs: number): string | null {
    // Cast: the journal of a lot holds its format's events.
    const event = found as FallingEvent;
    switch (event.type) {
      case 'lot_opened':
        return unequal('the opening', atUs >= this.startsAt, true);
      case 'lot_rescheduled':
        return null;
      case 'bid_placed':
        return this.#replayBid(event, atUs);
      case 'bid_voided': {
        const isThere = this.#bought.some(({ bidId }) => bidId === event.bidId);
        this.#bought = this.#bought.filter(({ bidId }) => bidId !== event.bidId);
        return (
          unequal('what is voided', isThere, true) ?? unequal('the bids', event.bidCount, this.#bought.length)
        );
      }
      case 'lot_closed':
        return this.#replayClose(event, atUs);
      case 'lot_withdrawn':
        this.#status = 'withdrawn';
        return null;
      default:
        return null;
    }
  }

  #isOpenAt(atUs: number): boolean {
    const isRunning = this.#status === 'open' && !this.#isPaused;
    return isRunning && atUs >= this.startsAt && atUs < this.endsAt;
  }

  #replayBid(event: FallingEvent & { readonly type: 'bid_placed' }, atUs: number): string | null {
    const { bidId, bidder, take, amountCents, leftCount, endsAtUs } = event;
    const price = this.price(atUs);
    const before = this.#left;
    this.#bought.push({ bidId, who: bidder.key, price, take });
    return (
      unequal('the time', this.#isOpenAt(atUs), true) ??
      unequal('the price', amountCents, price) ??
      unequal('what there is', take <= before, true) ??
      unequal('what is left', leftCount, before - take) ??
      unequal('the end', endsAtUs, this.endsAt)
    );
  }

  #replayClose(event: FallingEvent & { readonly type: 'lot_closed' }, atUs: number): string | null {
    const isOver = this.#left === 0 || atUs >= this.endsAt;
    const hammer = this.#bought.reduce((sum, one) => sum + this.#total(one), 0);
    this.#status = this.#bought.length === 0 ? 'unsold' : 'sold';
    const [first, ...others] = this.#bought;
    const alone = first !== undefined && others.every(({ who }) => who === first.who) ? first.who : null;
    return (
      unequal('whether it is over', isOver, true) ??
      unequal('how it closed', event.status, this.#status) ??
      unequal('the hammer price', event.hammerCents, this.#status === 'sold' ? hammer : null) ??
      unequal('the winner', event.winner?.key ?? null, alone)
    );
  }
}
