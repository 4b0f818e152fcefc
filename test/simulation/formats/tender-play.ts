/** The tender in a run: sealed bids that few amounts make equal, with the naive model of its rule as the referee. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { scheduledEndUs } from '../../../engine/auction/record.ts';
import type { TenderEvent } from '../../../engine/formats/tender/tender-events.ts';
import { NaiveTender } from '../../engine/formats/tender/naive-tender.ts';
import type { PlannedLot } from '../plan.ts';
import { NO_SOFT_CLOSE, type Played, SECOND } from './played-format.ts';
import { unequal } from './referee.ts';
import { type Model, type Offer, saleReferee } from './sale-referee.ts';

const FINAL_SECONDS = 1;

export const TENDER: Played = {
  name: 'tender',
  draw(dice, record, lots) {
    const hasFinal = dice.chance(0.5);
    const settings = {
      tender_may_lower: dice.chance(0.5),
      tender_may_withdraw: dice.chance(0.7),
      tender_pays: dice.pick(['own', 'second']),
      tender_final_round: hasFinal ? dice.between(2, 3) : null,
      tender_final_seconds: hasFinal ? FINAL_SECONDS : null,
    };
    const lastEndUs = record.endsAtUs + (lots.length * record.staggerSeconds + FINAL_SECONDS) * SECOND;
    return {
      lots: lots.map((lot) => ({ ...lot, buyNowCents: null, settings })),
      record: { ...record, format: 'tender', softClose: NO_SOFT_CLOSE, confirmFactor: 0 },
      lastEndUs,
    };
  },
  // Few amounts, which rise with time: some are equal.
  wish: (dice, { lot, sinceUs }) => ({
    amount: Math.max(1, lot.startingBidCents + dice.between(-1, 3 + Math.floor(sinceUs / 400_000)) * 1_000),
  }),
  referee: ({ lots }, record, centsOf) =>
    saleReferee(lots, record, (lot) => new TenderModel(lot, record, centsOf), { registersFirst: true }),
};

class TenderModel implements Model {
  readonly turns = [];
  readonly startsAt: number;
  readonly #lot: PlannedLot;
  readonly #naive: NaiveTender;
  readonly #centsOf: (bidId: string) => number;
  #isWithdrawn = false;

  constructor(lot: PlannedLot, record: AuctionRecord, centsOf: (bidId: string) => number) {
    const { settings = {}, startingBidCents, reserveCents } = lot;
    this.#lot = lot;
    this.#centsOf = centsOf;
    this.startsAt = record.startsAtUs;
    const final = settings['tender_final_round'];
    this.#naive = new NaiveTender({
      starting: startingBidCents,
      reserve: reserveCents,
      mayLower: settings['tender_may_lower'] === true,
      mayWithdraw: settings['tender_may_withdraw'] === true,
      second: settings['tender_pays'] === 'second',
      finalRound: final === null ? null : Number(final),
      finalSeconds: FINAL_SECONDS * SECOND,
      seconds: scheduledEndUs(record, lot.lotNumber) - record.startsAtUs,
      late: 60 * SECOND,
    });
  }

  get endsAt(): number {
    return this.startsAt + this.#naive.end;
  }

  #total(cents: number): number {
    const { units } = this.#lot;
    if (units?.isPriced !== true) return cents;
    return Number((BigInt(cents) * BigInt(units.count ?? 0) + 5_000n) / 10_000n);
  }

  isGone = () => this.#isWithdrawn;
  isOver = (atUs: number) => this.#naive.status !== 'open' || atUs >= this.endsAt;

  refusal({ who, cents }: Offer): string | null {
    return this.#naive.refusal(who, cents);
  }

  exposure(who: string, bid?: { readonly offer: Offer }): number {
    if (this.#naive.status !== 'open' || this.#isWithdrawn) return 0;
    const own = this.#naive.valid().find((one) => one.who === who)?.amount;
    const cents = bid?.offer.cents ?? own;
    return cents === undefined ? 0 : this.#total(cents);
  }

  figures({ minimumNextCents, currentCents }: Parameters<Model['figures']>[0]): boolean {
    return (
      minimumNextCents === this.#lot.startingBidCents && (this.#naive.status !== 'open' || currentCents === 0)
    );
  }

  pause(isPaused: boolean): void {
    this.#naive.isPaused = isPaused;
  }

  paused(fromUs: number, toUs: number): void {
    if (this.#naive.status === 'open' && this.endsAt > fromUs) this.#naive.end += toUs - fromUs;
  }

  /** There is no window that could be given back. */
  outlast(): void {}

  withdrawAll(): void {
    if (this.#naive.status === 'open') this.#isWithdrawn = true;
  }

  replay(found: Parameters<Model['replay']>[0], atUs: number): string | null {
    // Cast: the journal of a lot holds its format's events.
    const event = found as TenderEvent;
    const naive = this.#naive;
    naive.now = atUs - this.startsAt;
    switch (event.type) {
      case 'bid_sealed': {
        const { bidId, bidder, replaces } = event;
        const before = naive.valid().find(({ who }) => who === bidder.key)?.id ?? null;
        return (
          unequal('what it replaces', replaces, before) ??
          unequal('the bid', 'sealed', naive.bid(bidId, bidder.key, this.#centsOf(bidId)))
        );
      }
      case 'bid_unsealed': {
        const who = naive.valid().find(({ id }) => id === event.bidId)?.who ?? '';
        const said = event.by === 'staff' ? naive.void(event.bidId) : naive.withdraw(event.bidId, who);
        return unequal('taking it back', 'done', said);
      }
      case 'final_round_opened':
        naive.advance();
        return unequal('the round', true, naive.isFinal) ?? unequal('the end', event.endsAtUs, this.endsAt);
      case 'bids_opened':
        naive.advance();
        return unequal(
          'the ranking',
          event.bids.flatMap(({ bidId, rank }) => (rank === null ? [] : [bidId])).join(),
          naive.ranking.join(),
        );
      case 'lot_closed': {
        const { status, winner, hammer } = naive;
        const isSold = status === 'sold';
        return (
          unequal('how it closed', event.status, status) ??
          unequal('the winner', event.winner?.key ?? null, winner) ??
          unequal('the hammer price', event.hammerCents, isSold ? this.#total(hammer) : null)
        );
      }
      case 'terms_changed':
        naive.reserve = event.reserveCents;
        return null;
      case 'lot_withdrawn':
        this.#isWithdrawn = true;
        return null;
      default:
        return null;
    }
  }
}
