/** A bid event as its row: what the projection writes, and what a reader makes of a bid that is not projected yet. */
import { formatOfEntry, placedBy } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { type BidPlaced, isListed, type LotEvent } from '../../../engine/lot/events.ts';
import { cleanText } from './clean-text.ts';
import type { BidRow } from './pending-writes.ts';

/** The rows that an event adds: of itself, or of the bids that it opens. */
export function bidRowsOf(event: LotEvent, entry: SealedEntry): BidRow[] {
  const placed = placedBy(event, entry) ?? [];
  return placed.map(({ event: bid, recordedAtUs, hash }) => bidRowOf(bid, { ...entry, recordedAtUs, hash }));
}

/** The row of one bid. */
export function bidRowOf(event: BidPlaced, entry: SealedEntry): BidRow {
  const { bidder } = event;
  const { straightCents, ceilingCents, listedCents, fields } = formatOfEntry(entry.privateText).readBid(
    event,
  );
  return {
    bid_id: event.bidId,
    lot_id: entry.lotId,
    auction_id: entry.auctionId,
    lot_ids: fields?.['lot_ids'] ?? null,
    sequence: event.sequence,
    user_id: bidder.userId,
    straight_cents: straightCents,
    ceiling_cents: ceilingCents,
    placed_at_us: entry.recordedAtUs,
    channel: event.channel,
    bidder_key: cleanText(bidder.key),
    alias: cleanText(bidder.alias),
    paddle_number: cleanText(bidder.paddle),
    entry_hash: entry.hash,
    amount_cents: listedCents,
    outcome: event.outcome,
    listed: isListed(event.outcome),
    voided: false,
    void_reason: null,
  };
}
