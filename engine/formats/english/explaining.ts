/**
 * Why a bid came out as it did, explained by the decision itself: the lot is brought to its state before the bid, and
 * the same command is decided once more, saying which rules it applies. The outcome of it must be what the journal has.
 */
import type { AuctionRecord, Bidder } from '../../auction/record.ts';
import type { PlaceBid, RecordSale, Resell } from '../../lot/commands.ts';
import type { Context } from '../../lot/decision.ts';
import type { LotClosed } from '../../lot/events.ts';
import type { ExplainedBid, KnownCeiling, PastEntry } from '../../lot/format.ts';
import type { Step } from '../../lot/reasons.ts';
import { decideBid, decideBuyNow } from './decide-bid.ts';
import { decideResale, decideSale } from './decide-sale.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';
import { evolve, NO_LOT } from './evolve.ts';
import { withoutHeld } from './held-hammer.ts';

/** A lot's entries, oldest first, with the bid among them; null where it is not. */
export function explain(
  history: readonly PastEntry<EnglishEvent>[],
  bidId: string,
  record: AuctionRecord,
): ExplainedBid | null {
  let before = NO_LOT;
  for (const { recordedAtUs: nowUs, events } of history) {
    for (const [index, event] of events.entries()) {
      if (event.type === 'bid_placed' && event.bidId === bidId) {
        const steps = stepsOf(before, event, events.slice(index + 1), { ...asOf(record, before), nowUs });
        const { sequence, bidder, ceilingCents } = event;
        return { sequence, own: known(bidder, ceilingCents), rival: rivalOf(before), steps };
      }
      before = evolve(before, event);
    }
  }
  return null;
}

function known({ key, userId }: Pick<KnownCeiling, 'key' | 'userId'>, ceilingCents: number): KnownCeiling {
  return { key, userId, ceilingCents };
}

function rivalOf({ leader }: EnglishState): KnownCeiling | null {
  return leader && known(leader, leader.ceilingCents);
}

/**
 * What must have held because the bid was accepted: there was no pause or outage, and the bidder was admitted, within
 * the limit, and had confirmed the amount. Only the rules about the lot are left to be explained.
 */
function asOf(record: AuctionRecord, { startsAtUs }: EnglishState): Omit<Context, 'nowUs' | 'bidder'> {
  return {
    record: {
      ...record,
      startsAtUs,
      privacy: 'public',
      pauses: [],
      cancelled: false,
      confirmFactor: 0,
      requireVerified: false,
      bidLimitCents: null,
      ownerTeamId: null,
      ownerUserId: null,
    },
    exposureCents: 0,
  };
}

function stepsOf(
  before: EnglishState,
  bid: EnglishBidPlaced,
  after: readonly EnglishEvent[],
  known: Omit<Context, 'bidder'>,
): Step[] {
  const steps: Step[] = [];
  // Whatever conditions there were: the bid was taken.
  const bidder: Bidder = { ...bid.bidder, status: 'approved', limitCents: null, conditionsVersion: 1 };
  const context: Context = { ...known, bidder, explain: (step) => steps.push(step) };
  const state = { ...withoutHeld(before), consignorUserId: null };
  const closed = after.find((event) => event.type === 'lot_closed');
  if (closed?.reason === 'second_chance') {
    // The entry has reopened the lot before this row: the offer was accepted while it was sold.
    decideResale({ ...state, status: 'sold' }, resaleOf(bid), context);
    return steps;
  }
  if (closed?.reason === 'choice') return [{ rule: 25, hammerCents: bid.listedCents }];
  if (bid.outcome === 'won' && bid.channel === 'floor') {
    decideSale(state, saleOf(bid, closed), context);
    return steps;
  }
  const command = commandOf(bid);
  const decided =
    bid.outcome === 'won'
      ? decideBuyNow(state, { ...command, type: 'buy_now' }, context)
      : decideBid(state, command, context);
  const made = 'event' in decided ? decided.event : null;
  if (made === null || made.outcome !== bid.outcome || made.currentCents !== bid.currentCents)
    throw new Error(`the journal has another outcome of bid ${bid.bidId} than the rules give`);
  // The soft close's terms may have been others then: what is known for certain is what the bid did to the end.
  return made.extendedToUs === bid.extendedToUs
    ? steps
    : steps.filter(({ rule }) => rule !== 8 && rule !== 20);
}

function commandOf(bid: EnglishBidPlaced): PlaceBid {
  const { bidId, salt, channel, straightCents, ceilingCents, floor } = bid;
  const { key, userId, paddle } = bid.bidder;
  return {
    type: 'place_bid',
    bidId,
    salt,
    bidder: { key, userId, verified: true, suspended: false, teamIds: [], paddle },
    channel,
    straightCents,
    ceilingCents,
    currency: null,
    confirm: true,
    floor,
  };
}

/** The floor's sale that added the row, as the close that follows on it has it. */
function saleOf(
  { bidId, salt, bidder, listedCents: hammerCents }: EnglishBidPlaced,
  closed: LotClosed | undefined,
): RecordSale {
  return {
    type: 'record_sale',
    bidId,
    salt,
    result: 'sold',
    hammerCents,
    winner: { key: bidder.key, userId: bidder.userId, paddle: bidder.paddle },
    currency: null,
    floor: closed?.floor ?? { platform: '', sequence: Number.MAX_SAFE_INTEGER },
    auctionRuns: true,
  };
}

function resaleOf({ bidId, salt, bidder, listedCents }: EnglishBidPlaced): Resell {
  const buyer = { key: bidder.key, userId: bidder.userId ?? 0, paddle: null };
  return { type: 'resell', bidId, salt, hammerCents: listedCents, buyer };
}
