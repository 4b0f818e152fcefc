/** A bid event as its row: what the projection writes, and what a reader makes of a bid that is not projected yet. */
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { BidPlaced } from '../../../engine/lot/events.ts';
import { cleanText } from './clean-text.ts';
import type { BidRow } from './pending-writes.ts';

export function bidRowOf(event: BidPlaced, entry: SealedEntry): BidRow {
  const { bidder } = event;
  return {
    bid_id: event.bidId,
    lot_id: entry.lotId,
    auction_id: entry.auctionId,
    sequence: event.sequence,
    user_id: bidder.userId,
    straight_cents: event.straightCents,
    ceiling_cents: event.ceilingCents,
    placed_at_us: entry.recordedAtUs,
    channel: event.channel,
    bidder_key: cleanText(bidder.key),
    alias: cleanText(bidder.alias),
    paddle_number: cleanText(bidder.paddle),
    entry_hash: entry.hash,
    amount_cents: event.listedCents,
    outcome: event.outcome,
    listed: event.outcome !== 'max_raised',
    voided: false,
    void_reason: null,
  };
}
