/**
 * What is the same for the formats that have their own models: who may bid, limits, pauses, outages and cancelled
 * auctions, and in which order they answer. A model is of one journal, or of those of lots that are offered together,
 * and judges by the rules of its format alone.
 */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { Refused } from '../../../engine/lot/answers.ts';
import type { PlaceBid } from '../../../engine/lot/commands.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { PlannedLot } from '../plan.ts';
import type { Referee, Refusal } from './referee.ts';

/** What a bid is judged by. */
export interface Offer {
  readonly who: string;
  readonly lotId: number;
  readonly cents: number;
  readonly command: PlaceBid;
}

export interface Model {
  readonly startsAt: number;
  readonly endsAt: number;
  /** Whether the lot, or one of those that the bid is for, is for sale no more. */
  isGone(offer: Offer): boolean;
  /** Why it is refused before anything else is looked at; absent: nothing is. */
  early?(offer: Offer, atUs: number): string | null;
  isOver(atUs: number, offer?: Offer): boolean;
  /** Whether a refusal of the offer may name this end; absent: where it is the model's. */
  ends?(atUs: number, offer: Offer): boolean;
  /** Why the format does not take the amount; null: it does. */
  refusal(offer: Offer, atUs: number): string | null;
  /** What the bidder may have to pay: as things stand, or with this bid. */
  exposure(who: string, bid?: { readonly offer: Offer; readonly atUs: number }): number;
  /** Whether the figures of a refusal that came by `refusal` are right. */
  figures(answer: Refused, offer: Offer, atUs: number): boolean;
  /** Further moments at which the clock changes something. */
  readonly turns: readonly number[];
  /** Whether the sale stands still, from here on. */
  pause(isPaused: boolean): void;
  /** It stood still. */
  paused(fromUs: number, toUs: number): void;
  outlast(fromUs: number, toUs: number): void;
  /** Applies what the journal has; returns a difference, or null. */
  replay(event: LotEvent, atUs: number, lotId: number): string | null;
  withdrawAll(): void;
}

interface Known {
  readonly isSuspended: boolean;
  readonly limitCents: number | null;
}

export function saleReferee(
  lots: readonly PlannedLot[],
  { bidLimitCents }: AuctionRecord,
  modelOf: (lot: PlannedLot) => Model,
  { registersFirst = false } = {},
): Referee {
  const models = new Map(
    lots.filter(({ lotId, hostId }) => lotId === hostId).map((lot) => [lot.lotId, modelOf(lot)]),
  );
  const hostOf = new Map(lots.map(({ lotId, hostId }) => [lotId, hostId]));
  const all = [...new Set(models.values())];
  const bidders = new Map<string, Known>();
  const present = new Set<number>();
  let isPaused = false;
  let seen = 0;
  const modelFor = (lotId: number) => models.get(hostOf.get(lotId)!)!;

  const codeOf = (model: Model, offer: Offer, atUs: number): string | null => {
    const bidder = bidders.get(offer.who);
    const early = model.early?.(offer, atUs) ?? null;
    if (early !== null) return early;
    if (model.isGone(offer)) return 'lot_withdrawn';
    if (isPaused) return 'auction_paused';
    if (model.isOver(atUs, offer)) return 'lot_closed';
    if (atUs < model.startsAt) return 'lot_not_started';
    if (bidder?.isSuspended === true) return 'bidder_suspended';
    if (registersFirst && bidder === undefined) return 'registration_required';
    const refused = model.refusal(offer, atUs);
    if (refused !== null) return refused;
    // A platform answers for whom only it knows.
    const limitCents = offer.command.bidder.userId === null ? null : (bidder?.limitCents ?? bidLimitCents);
    const elsewhere = all.filter((other) => other !== model);
    const others = elsewhere.reduce((sum, other) => sum + other.exposure(offer.who), 0);
    const isBeyond = limitCents !== null && others + model.exposure(offer.who, { offer, atUs }) > limitCents;
    return isBeyond ? 'bid_limit_exceeded' : null;
  };

  return {
    outlast({ fromUs, toUs }) {
      if (isPaused) return;
      // What comes into the journal later has missed nothing.
      const known = [...models].flatMap(([lotId, model]) => (present.has(lotId) ? [model] : []));
      for (const model of new Set(known)) model.outlast(fromUs, toUs);
    },
    follow(event) {
      if (event.type === 'bidder_saved') {
        const { key, status, limitCents } = event.bidder;
        bidders.set(key, { isSuspended: status === 'suspended', limitCents });
        return;
      }
      const { pauses, cancelled } = event.record;
      if (cancelled) for (const model of all) model.withdrawAll();
      isPaused = pauses.at(-1)?.toUs === null;
      for (const model of all) model.pause(isPaused);
      for (const { fromUs, toUs } of pauses.slice(seen))
        if (toUs !== null) {
          seen += 1;
          for (const model of all) model.paused(fromUs, toUs);
        }
    },
    eventsOf: (events) => events,
    replay(lotId, event, atUs) {
      present.add(lotId);
      return modelFor(lotId).replay(event, atUs, lotId);
    },
    momentsOf({ lotId, fromUs, toUs }) {
      const { startsAt, endsAt, turns } = modelFor(lotId);
      const all = [startsAt, endsAt - 1, ...turns, ...turns.map((turn) => turn - 1)];
      return [fromUs, ...all.filter((atUs) => atUs > fromUs && atUs < toUs), toUs];
    },
    isRight({ command, lotId, answer }: Refusal, atUs: number) {
      if (command.type !== 'place_bid') return false;
      const model = modelFor(lotId);
      const offer = { who: command.bidder.key, lotId, cents: command.straightCents ?? 0, command };
      if (codeOf(model, offer, atUs) !== answer.code) return false;
      // A lot that its auction took along may not have heard of the last pause before.
      if (answer.code === 'lot_withdrawn') return true;
      const ends = model.ends?.(answer.endsAtUs, offer) ?? answer.endsAtUs === model.endsAt;
      return ends && model.figures(answer, offer, atUs);
    },
  };
}
