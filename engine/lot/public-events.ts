/**
 * What the world may see of an event: bidders by alias and paddle, secrets as salted commitments, money as decimal
 * strings, moments as ISO 8601. Keys are written in sorted order throughout, because the hash chain is taken over the
 * canonical form (RFC 8785); a test holds every kind of event to it.
 */
import { quoted } from '../canonical.ts';
import { formatCents } from '../money.ts';
import { isoFromUs } from '../time.ts';
import type {
  BidPlaced,
  BidVoided,
  LotClosed,
  LotEvent,
  LotRescheduled,
  LotScheduled,
  TermsChanged,
} from './events.ts';

type Commit = (salt: string, cents: number) => string;

/** The public form of an event as canonical JSON. `commit` makes the commitment that replaces a secret amount. */
export function publicText(event: LotEvent, commit: Commit): string {
  return event.type === 'bid_placed' ? publicBid(event, commit) : JSON.stringify(publicEvent(event, commit));
}

function publicEvent(event: Exclude<LotEvent, BidPlaced>, commit: Commit): Record<string, unknown> {
  switch (event.type) {
    case 'lot_scheduled':
      return publicScheduled(event, commit);
    case 'lot_opened':
      return { sequence: event.sequence, type: event.type };
    case 'lot_rescheduled':
      return publicRescheduled(event);
    case 'terms_changed':
      return publicTerms(event, commit);
    case 'bid_voided':
      return publicVoid(event);
    case 'lot_closed':
      return publicClose(event);
    case 'lot_reopened':
    case 'lot_withdrawn':
      return { reason: event.reason, sequence: event.sequence, type: event.type };
    case 'lot_recovered':
      return { last_kept_sequence: event.lastKeptSequence, sequence: event.sequence, type: event.type };
  }
}

/**
 * A raise does not reveal that it was a raise of which bid, nor what it led to beyond the price. Written by hand, as
 * nearly every event is a bid.
 */
function publicBid(event: BidPlaced, commit: Commit): string {
  const { bidder, extendedToUs } = event;
  const amount = event.outcome === 'max_raised' ? 'null' : `"${formatCents(event.listedCents)}"`;
  const extendedTo = extendedToUs === null ? 'null' : `"${isoFromUs(extendedToUs)}"`;
  return (
    `{"amount":${amount},"bid_count":${event.bidCount},"bid_id":${quoted(event.bidId)},` +
    `"bidder":{"alias":${quoted(bidder.alias)},"paddle_number":${quoted(bidder.paddle)}},` +
    `"ceiling_commitment":"${commit(event.salt, event.ceilingCents)}","channel":${quoted(event.channel)},` +
    `"current_bid":"${formatCents(event.currentCents)}","extended_to":${extendedTo},` +
    `"outcome":"${event.outcome}","sequence":${event.sequence},"type":"bid_placed"}`
  );
}

function publicScheduled(event: LotScheduled, commit: Commit): Record<string, unknown> {
  return {
    auction_id: event.auctionId,
    buy_now_price: event.buyNowCents === null ? null : formatCents(event.buyNowCents),
    end_time: isoFromUs(event.endsAtUs),
    lot_id: event.lotId,
    lot_number: event.lotNumber,
    reserve_commitment: event.reserveCents === null ? null : commit(event.salt, event.reserveCents),
    sequence: event.sequence,
    start_time: isoFromUs(event.startsAtUs),
    starting_bid: formatCents(event.startingBidCents),
    type: event.type,
  };
}

function publicRescheduled(event: LotRescheduled): Record<string, unknown> {
  const { outage } = event;
  return {
    end_time: isoFromUs(event.endsAtUs),
    ...(outage === undefined ? {} : { extended_by: 'outage' }),
    original_end_time: isoFromUs(event.originalEndsAtUs),
    ...(outage === undefined
      ? {}
      : { outage: { from: isoFromUs(outage.fromUs), to: isoFromUs(outage.toUs) } }),
    paused: event.paused,
    reason: event.reason,
    sequence: event.sequence,
    start_time: isoFromUs(event.startsAtUs),
    type: event.type,
  };
}

function publicTerms(event: TermsChanged, commit: Commit): Record<string, unknown> {
  return {
    buy_now_price: event.buyNowCents === null ? null : formatCents(event.buyNowCents),
    current_bid: formatCents(event.currentCents),
    reserve_commitment: event.reserveCents === null ? null : commit(event.salt, event.reserveCents),
    sequence: event.sequence,
    starting_bid: formatCents(event.startingBidCents),
    type: event.type,
  };
}

function publicVoid(event: BidVoided): Record<string, unknown> {
  return {
    bid_count: event.bidCount,
    bid_id: event.bidId,
    current_bid: formatCents(event.currentCents),
    leader: event.leader && { alias: event.leader.alias, paddle_number: event.leader.paddle },
    reason: event.reason,
    sequence: event.sequence,
    type: event.type,
  };
}

function publicClose(event: LotClosed): Record<string, unknown> {
  return {
    flags: event.flags,
    hammer_price: event.hammerCents === null ? null : formatCents(event.hammerCents),
    reason: event.reason,
    sequence: event.sequence,
    status: event.status,
    type: event.type,
    winner: event.winner && { alias: event.winner.alias, paddle_number: event.winner.paddle },
  };
}
