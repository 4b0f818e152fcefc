/** Tracts in any combination in a run: bids about what it takes to lead, with the naive model as the referee. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { saleOf } from '../../../engine/formats/formats.ts';
import type { ParcelsEvent } from '../../../engine/formats/parcels/parcels-events.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { type NaiveBid, NaiveParcels } from '../../engine/formats/parcels/naive-parcels.ts';
import type { PlannedLot } from '../plan.ts';
import { MovingEnd } from './moving-end.ts';
import { type Played, SECOND, text } from './played-format.ts';
import { unequal } from './referee.ts';
import { type Model, type Offer, saleReferee } from './sale-referee.ts';

const INCREMENT = 500;

export const PARCELS: Played = {
  name: 'parcels',
  draw(dice, record, [first, ...others]) {
    const count = dice.between(2, 4);
    const all = Array.from({ length: count }, (_, at): PlannedLot => {
      const { buyNowCents: _buyNow, units: _units, ...lot } = others[at - 1] ?? first!;
      // Ids of lots that are of no other auction.
      const lotId = at === 0 ? lot.lotId : lot.lotId * 100 + at;
      return { ...lot, lotId, lotNumber: at + 1, hostId: first!.lotId, buyNowCents: null };
    });
    const perUnit = dice.chance(0.4);
    const whole = dice.chance(0.4) ? dice.between(50, 400) * 100 : null;
    const hasUnits = perUnit || dice.chance(0.5);
    const members = all.map(({ lotId, lotNumber, startingBidCents, reserveCents }) => ({
      ...{ lot_id: lotId, lot_number: lotNumber, starting_bid: text(startingBidCents) },
      reserve_price: reserveCents === null ? null : text(reserveCents),
      units: hasUnits ? (dice.between(5_000, 25_000) / 10_000).toFixed(4) : null,
      unit_name: hasUnits ? 'acre' : null,
      bid_per: perUnit ? 'unit' : 'lot',
      consignor_user_id: null,
    }));
    const settings = {
      whole_reserve: whole === null ? null : text(whole),
      sell_parts: dice.chance(0.5),
      combinations_from: dice.chance(0.3) ? isoFromUs(record.startsAtUs + SECOND) : null,
      lots: members,
    };
    const windowSeconds = dice.pick([0, 1, 2]);
    return {
      lots: all.map((lot) => (lot.lotId === lot.hostId ? { ...lot, settings } : lot)),
      record: {
        ...record,
        ...{ format: 'parcels', staggerSeconds: 0, confirmFactor: 0 },
        increments: [{ fromCents: 0, incrementCents: INCREMENT }],
        softClose: { windowSeconds, extensionSeconds: windowSeconds, maxExtensions: null },
      },
      lastEndUs: record.endsAtUs,
    };
  },
  wish(dice, { lot, state, record, priceCents }) {
    const members = state === null ? [] : stateLots(state);
    const chosen = members.filter((lotId) => lotId === lot.lotId || dice.chance(0.4));
    const lotIds = chosen.length === 0 ? [lot.lotId] : chosen;
    const quote = state === null ? null : saleOf(state).quote(lotIds, record);
    const cents = (name: string) => Math.round(Number(quote?.[name] ?? 0) * 100);
    const least = quote === null ? priceCents : dice.pick([cents('price_to_lead'), cents('minimum_bid')]);
    return {
      amount: Math.max(1, least + dice.pick([0, 0, 0, 700, 3_000, -1, -300])),
      ...(lotIds.length === 1 && dice.chance(0.5) ? {} : { lotIds }),
      ...(dice.chance(0.4) ? { standing: true } : {}),
    };
  },
  referee: ({ lots }, record) => saleReferee(lots, record, (lot) => new ParcelsModel(lot, record)),
};

function stateLots(state: object): number[] {
  // Cast: the state is of this format.
  return (state as { readonly lots: readonly { readonly lotId: number }[] }).lots.map(({ lotId }) => lotId);
}

class ParcelsModel implements Model {
  readonly turns: number[];
  readonly #naive: NaiveParcels;
  readonly #end: MovingEnd;
  readonly #combinationsFrom: number;

  constructor({ settings = {} }: PlannedLot, record: AuctionRecord) {
    const { startsAtUs, endsAtUs, softClose } = record;
    const windowUs = softClose.windowSeconds * SECOND;
    const cents = (value: unknown) => (value == null ? null : Math.round(Number(value) * 100));
    const from = settings['combinations_from'];
    this.#combinationsFrom = typeof from === 'string' ? startsAtUs + SECOND : 0;
    this.turns = [this.#combinationsFrom];
    this.#end = new MovingEnd(startsAtUs, endsAtUs, windowUs);
    // Cast: as `draw` made them.
    const lots = settings['lots'] as readonly Readonly<Record<string, unknown>>[];
    this.#naive = new NaiveParcels({
      tracts: lots.map((lot) => ({
        name: String(lot['lot_id']),
        units: lot['units'] === null ? null : Math.round(Number(lot['units']) * 10_000),
        start: cents(lot['starting_bid']) ?? 0,
        reserve: cents(lot['reserve_price']),
      })),
      perUnit: lots[0]?.['bid_per'] === 'unit',
      whole: cents(settings['whole_reserve']),
      parts: settings['sell_parts'] === true,
      combinationsFrom: this.#combinationsFrom - startsAtUs,
      increment: INCREMENT,
      ends: endsAtUs - startsAtUs,
      window: windowUs,
      onlyBest: true,
    });
  }

  get startsAt(): number {
    return this.#end.startsAt;
  }

  get endsAt(): number {
    return this.#end.at;
  }

  #namesOf({ lotId, command: { lotIds = [lotId] } }: Offer): string[] {
    return lotIds.map(String);
  }

  isGone = (offer: Offer) => this.#namesOf(offer).some((name) => this.#naive.gone.has(name));
  isOver = (atUs: number) => this.#naive.closed !== null || atUs >= this.endsAt;

  refusal(offer: Offer, atUs: number): string | null {
    const { cents: amount, command } = offer;
    const standing = command.standing === true;
    return this.#naive.refusal({ names: this.#namesOf(offer), amount, standing }, atUs - this.startsAt);
  }

  exposure(who: string, bid?: { readonly offer: Offer }): number {
    if (this.#naive.closed !== null || this.#naive.isGone) return 0;
    if (bid === undefined) return this.#naive.exposure(who);
    const { offer } = bid;
    const names = this.#namesOf(offer);
    return this.#naive.exposure(who, {
      id: '',
      order: Number.MAX_SAFE_INTEGER,
      who,
      names,
      amount: offer.cents,
    });
  }

  figures(
    { code, minimumNextCents, currentCents, fields = {} }: Parameters<Model['figures']>[0],
    offer: Offer,
  ) {
    const names = this.#namesOf(offer);
    const naive = this.#naive;
    const present = naive.onExactly(names).map(({ amount }) => amount);
    if (currentCents !== Math.max(0, ...present)) return false;
    if (!naive.reaches(names, minimumNextCents) || naive.reaches(names, minimumNextCents - 1)) return false;
    if (code !== 'bid_too_low' && code !== 'bid_not_leading') return true;
    const price = Math.round(Number(fields['price_to_lead']) * 100);
    if (price < minimumNextCents || !naive.wouldLead(names, price)) return false;
    return price === minimumNextCents || !naive.wouldLead(names, price - 1);
  }

  pause(isPaused: boolean): void {
    this.#naive.isPaused = isPaused;
  }

  paused(fromUs: number, toUs: number): void {
    if (this.#naive.closed === null) this.#end.paused(fromUs, toUs);
  }

  outlast(fromUs: number, toUs: number): void {
    if (this.#naive.closed === null) this.#end.outlast(fromUs, toUs);
  }

  withdrawAll(): void {
    if (this.#naive.closed === null)
      for (const { name } of this.#naive.terms.tracts) this.#naive.withdraw(name, true);
  }

  replay(found: Parameters<Model['replay']>[0], atUs: number): string | null {
    // Cast: the journal of a sale holds its format's events.
    const event = found as ParcelsEvent;
    const naive = this.#naive;
    const now = atUs - this.startsAt;
    naive.ends = this.endsAt - this.startsAt;
    const wrong = this.#apply(event, now);
    this.#end.at = this.startsAt + naive.ends;
    if (wrong !== null || !('leading' in event) || event.leading === undefined) return wrong;
    const leads = naive.leading().sort((a, b) => a.order - b.order);
    return (
      unequal(
        'what leads',
        event.leading.map((bid) => bid.bid_id).join(),
        leads.map(({ id }) => id).join(),
      ) ?? unequal('the total', event.totalCents, naive.sum(leads))
    );
  }

  #apply(event: ParcelsEvent, now: number): string | null {
    const naive = this.#naive;
    switch (event.type) {
      case 'bid_placed': {
        const { bidId: id, bidder, lotIds, amountCents: amount, outcome } = event;
        const bid = { id, who: bidder.key, names: lotIds.map(String), amount, standing: true };
        const said = naive.bid(bid, now);
        const told = outcome === 'leading_reserve_not_met' ? 'leading' : outcome;
        return (
          unequal('the outcome', told, said) ??
          unequal('the end', event.endsAtUs, this.startsAt + naive.ends) ??
          unequal('what buys', outcome === 'leading', this.#buys(id))
        );
      }
      case 'bid_voided':
        return unequal('the void', 'done', naive.void(event.bidId, now));
      case 'lot_rescheduled':
        return event.reason === 'void'
          ? unequal('the end', event.endsAtUs, this.startsAt + naive.ends)
          : null;
      case 'terms_changed':
        naive.reserve(String(event.lotId), event.reserveCents);
        return null;
      case 'lot_withdrawn':
        if (event.lotId !== undefined) naive.withdraw(String(event.lotId), true);
        return null;
      case 'lot_closed': {
        naive.close(now);
        const end = naive.closed?.get(String(event.lotId));
        return (
          unequal('how it closed', event.status, end?.status) ??
          unequal('the winner', event.winner?.key ?? null, end?.who) ??
          unequal('the hammer price', event.hammerCents, end?.hammer)
        );
      }
      default:
        return null;
    }
  }

  #buys(bidId: string): boolean {
    const isThis = ({ id }: NaiveBid) => id === bidId;
    return this.#naive.leading().some(isThis) && this.#naive.buying().some(isThis);
  }
}
