/**
 * Rule 25 as a run is judged by it: lots of a saleroom with one price, a hammer that sells what was chosen with it or has
 * its online winner choose, and lots that end by what was sold on another. It knows nothing that the clerk has not said.
 */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { ChoiceMade, ChoiceOpened } from '../../../engine/formats/english/choice-events.ts';
import type { EnglishEvent } from '../../../engine/formats/english/english-events.ts';
import type { PlannedLot } from '../plan.ts';
import { unequal } from './referee.ts';
import type { Model, Offer } from './sale-referee.ts';
import { HELD_US } from './saleroom-play.ts';

export const INCREMENT = 500;
export const CHOICE_SECONDS = 1;
const CHOICE_US = CHOICE_SECONDS * 1_000_000;

interface OwnLot {
  readonly id: number;
  readonly start: number;
  status: string;
  end: number;
  /** What was called on this lot last. */
  called: number;
  hammer: { readonly untilUs: number; readonly status: string } | null;
  missedUs: number;
  /** What it was sold for on another lot, or is about to be. */
  sold: { readonly who: string; readonly cents: number; readonly on: number } | null;
}

interface Pending {
  readonly who: string;
  readonly cents: number;
  readonly openedUs: number;
  untilUs: number;
  readonly liftUntilUs: number;
  readonly lots: readonly number[] | null;
}

export class ChoiceModel implements Model {
  readonly turns = [];
  readonly startsAt: number;
  readonly #lots: readonly OwnLot[];
  #price = 0;
  #leader: { readonly who: string; readonly isOnline: boolean } | null = null;
  #bids: {
    readonly bidId: string;
    readonly who: string;
    readonly cents: number;
    readonly isOnline: boolean;
  }[] = [];
  #pending: Pending | null = null;
  #isPaused = false;
  #isCancelled = false;

  constructor(lots: readonly PlannedLot[], { startsAtUs, endsAtUs }: AuctionRecord) {
    this.startsAt = startsAtUs;
    this.#lots = lots.map(({ lotId, startingBidCents }) => ({
      ...{ id: lotId, start: startingBidCents, status: 'open', end: endsAtUs, called: -1 },
      ...{ hammer: null, missedUs: 0, sold: null },
    }));
  }

  get endsAt(): number {
    return this.#carrier()?.end ?? this.#lots[0]!.end;
  }

  ends = (atUs: number, { lotId }: Offer) => [this.endsAt, this.#lot(lotId).end].includes(atUs);

  #lot = (lotId: number) => this.#lots.find(({ id }) => id === lotId)!;
  #isOffered = ({ status, sold }: OwnLot) => status === 'open' && sold === null;
  /** A hammer that may be taken back stops the bidding, and no other lot has it meanwhile. */
  #carrier = () => this.#lots.find((lot) => this.#isOffered(lot));
  #called = () => Math.max(...this.#lots.map(({ called }) => called));

  /** Lots that the hammer's time has sold by then, whether or not anybody has written it down. */
  #dueAt(atUs: number): readonly number[] | null {
    const pending = this.#pending;
    if (pending === null || this.#isPaused || atUs < pending.untilUs) return null;
    return this.#chosen(pending);
  }

  /** Where all that was chosen has left meanwhile, the bidding goes on as it was. */
  #isAnew = (atUs: number) => (this.#dueAt(atUs)?.length ?? 0) > 0;

  #chosen({ lots }: Pending): readonly number[] {
    if (lots === null) return [this.#carrier()!.id];
    return lots.filter((id) => this.#isOffered(this.#lot(id)) && this.#lot(id).hammer === null);
  }

  isGone = ({ lotId }: Offer) => this.#lot(lotId).status === 'withdrawn';

  isOver(atUs: number, offer?: Offer): boolean {
    if (offer === undefined) return false;
    const lot = this.#lot(offer.lotId);
    return (
      this.#carrier()?.hammer != null || !this.#isOffered(lot) || this.#dueAt(atUs)?.includes(lot.id) === true
    );
  }

  early({ command: { floor }, lotId }: Offer, atUs: number): string | null {
    const [lot, carrier] = [this.#lot(lotId), this.#carrier()];
    const isLeft = !this.#isOffered(lot) || this.#dueAt(atUs)?.includes(lotId) === true;
    // A lot that is over knows of the calls on itself alone.
    const last = isLeft ? lot.called : carrier?.hammer != null ? carrier.called : this.#called();
    return floor !== null && floor.sequence <= last ? 'floor_stale' : null;
  }

  refusal({ cents, lotId }: Offer, atUs: number): string | null {
    if (this.#lot(lotId).hammer !== null) return 'lot_closed';
    if (this.#pending !== null && this.#dueAt(atUs) === null) return 'choice_pending';
    const least =
      this.#leader === null || this.#isAnew(atUs) ? this.#carrier()!.start : this.#price + INCREMENT;
    return cents < least ? 'bid_too_low' : null;
  }

  /** What somebody leads with counts until the end of the time to choose is written down. */
  exposure(who: string, bid?: { readonly offer: Offer; readonly atUs: number }): number {
    const led = this.#carrier() !== undefined && this.#leader?.who === who ? this.#price : 0;
    return bid === undefined ? led : bid.offer.cents + (this.#isAnew(bid.atUs) ? led : 0);
  }

  figures({ currentCents }: Parameters<Model['figures']>[0], offer: Offer, atUs: number): boolean {
    return this.isOver(atUs, offer) || currentCents === (this.#isAnew(atUs) ? 0 : this.#price);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  paused(fromUs: number, toUs: number): void {
    this.#lost(fromUs, toUs);
    for (const lot of this.#lots) {
      // What was sold on another lot follows its auction until it has taken that over.
      if (lot.status !== 'open') continue;
      if (lot.hammer === null) lot.end += toUs - fromUs;
      else lot.missedUs += toUs - fromUs;
    }
  }

  outlast = (fromUs: number, toUs: number) => this.#lost(fromUs, toUs);

  /** Gives who chooses the time back that nobody could choose in. */
  #lost(fromUs: number, toUs: number): void {
    const pending = this.#pending;
    if (pending === null || fromUs >= pending.untilUs) return;
    pending.untilUs += Math.max(0, toUs - Math.max(fromUs, pending.openedUs));
  }

  withdrawAll(): void {
    this.#isCancelled = true;
    const sold = this.#pending === null ? [] : this.#chosen(this.#pending);
    for (const lot of this.#lots)
      if (this.#isOffered(lot) && lot.hammer === null && !sold.includes(lot.id)) lot.status = 'withdrawn';
  }

  #anew(): void {
    [this.#price, this.#leader, this.#pending, this.#bids] = [0, null, null, []];
  }

  replay(found: Parameters<Model['replay']>[0], atUs: number, lotId: number): string | null {
    // Cast: the journal of a lot holds its format's events.
    const event = found as EnglishEvent;
    const lot = this.#lot(lotId);
    switch (event.type) {
      case 'bid_placed':
        return event.outcome === 'won' ? null : this.#replayBid(lot, event);
      case 'bid_voided': {
        this.#bids = this.#bids.filter(({ bidId }) => bidId !== event.bidId);
        const last = this.#bids.at(-1);
        [this.#price, this.#leader] = [event.currentCents, last ?? null];
        return unequal('the price', event.currentCents, last?.cents ?? 0);
      }
      case 'lot_rescheduled':
        return event.choiceUntilUs === undefined
          ? null
          : unequal('until when is chosen', event.choiceUntilUs, this.#pending?.untilUs);
      case 'choice_opened':
        return this.#replayOpened(lot, event, atUs);
      case 'choice_made':
        return this.#replayMade(lot, event, atUs);
      case 'hammer_fell': {
        const isOpen = this.#isOffered(lot) && lot.hammer === null;
        const isSafe = this.#pending === null || this.#carrier() !== lot;
        lot.hammer = { untilUs: event.untilUs, status: event.close.status };
        return (
          unequal('whether a hammer may fall', isOpen && isSafe, true) ??
          unequal('until when it may be taken back', event.untilUs, atUs + HELD_US)
        );
      }
      case 'lot_reopened':
        return this.#replayReopened(lot, atUs);
      case 'lot_closed':
        return this.#replayClosed(lot, event, atUs);
      case 'lot_withdrawn': {
        const wasCarrier = this.#carrier() === lot;
        const isFree = lot.sold === null && lot.hammer === null && !(wasCarrier && this.#pending !== null);
        lot.status = 'withdrawn';
        if (wasCarrier) this.#anew();
        return this.#isCancelled ? null : unequal('whether a lot may be withdrawn', isFree, true);
      }
      default:
        return null;
    }
  }

  #replayBid(lot: OwnLot, event: EnglishEvent & { readonly type: 'bid_placed' }): string | null {
    const { bidId, bidder, straightCents, currentCents, floor, channel } = event;
    const cents = straightCents ?? 0;
    const isLate = floor !== null && floor.sequence <= this.#called();
    if (floor !== null) lot.called = floor.sequence;
    const offer = { who: bidder.key, lotId: lot.id, cents } as Offer;
    const isHere = this.#carrier() === lot && lot.hammer === null;
    const refused = isHere ? this.refusal(offer, 0) : 'lot_closed';
    const bid = { bidId, who: bidder.key, cents, isOnline: channel === 'online' };
    this.#bids.push(bid);
    [this.#price, this.#leader] = [cents, bid];
    const wanted = isLate ? 'floor_stale' : refused;
    return unequal('the bid', null, wanted) ?? unequal('the price', currentCents, cents);
  }

  #replayOpened(lot: OwnLot, event: ChoiceOpened, atUs: number): string | null {
    const { hammerCents: cents, winner, openedAtUs, untilUs, lots, liftUntilUs = 0, channel } = event;
    const isFree = this.#pending === null && this.#carrier() === lot && lot.hammer === null;
    const leads = this.#leader?.who === winner.key && this.#leader.isOnline && this.#price === cents;
    const left = this.#lots.filter((one) => this.#isOffered(one) && one.hammer === null);
    const ids = lots?.map(({ lotId }) => lotId) ?? null;
    const areOffered = ids === null || ids.every((id) => left.some((one) => one.id === id));
    this.#pending = { who: winner.key, cents, openedUs: openedAtUs, untilUs, liftUntilUs, lots: ids };
    return (
      unequal('whether the hammer may fall on the group', isFree, true) ??
      unequal('where the winning bid came from', channel, leads ? 'online' : 'floor') ??
      unequal('whether what is chosen is offered', areOffered, true) ??
      unequal('whether the winner chooses', ids !== null || (leads && left.length > 1), true) ??
      unequal('until when', untilUs, atUs + (ids === null ? CHOICE_US : HELD_US)) ??
      unequal('until when it may be taken back', liftUntilUs, atUs + HELD_US)
    );
  }

  #replayMade(
    lot: OwnLot,
    { by, lots, winner, hammerCents, floor }: ChoiceMade,
    atUs: number,
  ): string | null {
    const pending = this.#pending;
    const ids = lots.map(({ lotId }) => lotId);
    const isDue = pending !== null && (this.#isCancelled || (!this.#isPaused && atUs >= pending.untilUs));
    const isHere = pending !== null && this.#carrier() === lot;
    const wanted = pending === null ? [] : this.#chosen(pending);
    const areOffered = ids.every((id) => this.#isOffered(this.#lot(id)) && this.#lot(id).hammer === null);
    const byTime = floor === null && by !== 'winner';
    for (const id of ids) this.#lot(id).sold = { who: winner.key, cents: hammerCents, on: lot.id };
    this.#anew();
    return (
      unequal('whether somebody chooses here', isHere, true) ??
      unequal('the winner', winner.key, pending?.who) ??
      unequal('the hammer price', hammerCents, pending?.cents) ??
      unequal('whether what is sold is offered', areOffered, true) ??
      (byTime
        ? (unequal('whether the time is over', isDue, true) ??
          unequal('what is sold', ids.join(), wanted.join()))
        : unequal('whether there is time', isDue, false))
    );
  }

  #replayReopened(lot: OwnLot, atUs: number): string | null {
    const { hammer } = lot;
    if (hammer !== null) {
      lot.hammer = null;
      [lot.end, lot.missedUs] = [lot.end + lot.missedUs, 0];
      if (this.#isCancelled) lot.status = 'withdrawn';
      return unequal('taking the hammer back', atUs < hammer.untilUs, true);
    }
    const isVain = this.#dueAt(atUs)?.length === 0;
    const isInTime = atUs < (this.#pending?.liftUntilUs ?? 0);
    this.#pending = null;
    return unequal('taking the hammer back from the group', isInTime || isVain, true);
  }

  #replayClosed(
    lot: OwnLot,
    event: EnglishEvent & { readonly type: 'lot_closed' },
    atUs: number,
  ): string | null {
    const { hammer, sold } = lot;
    const wasCarrier = this.#carrier() === lot;
    lot.status = event.status;
    if (sold !== null)
      return (
        unequal('how it closed', event.status, 'sold') ??
        unequal('the hammer price', event.hammerCents, sold.cents) ??
        unequal('the winner', event.winner?.key, sold.who) ??
        unequal('the lot that decided', event.causedBy ?? lot.id, sold.on)
      );
    if (wasCarrier) this.#anew();
    return (
      unequal('a final result', hammer !== null && atUs >= hammer.untilUs, true) ??
      unequal('how it closed', event.status, hammer?.status)
    );
  }
}
