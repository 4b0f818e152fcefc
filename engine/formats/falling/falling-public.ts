/** What the world may see of an event of this format, in the form that the hash chain is taken over (RFC 8785). */
import { canonicalJson } from '../../canonical.ts';
import { type Commit, commonText } from '../../lot/common-events.ts';
import { type Decimals, formatCents } from '../../money.ts';
import type { FallingEvent } from './falling-events.ts';

/** The public form of an event as canonical JSON, with the decimals of the lot's currency. */
export function publicText(event: FallingEvent, decimals: Decimals, commit: Commit): string {
  if (event.type === 'bid_placed') {
    const { alias, paddle } = event.bidder;
    return canonicalJson({
      amount: formatCents(event.amountCents, decimals),
      bid_count: event.bidCount,
      bid_id: event.bidId,
      bidder: { alias, paddle_number: paddle },
      channel: event.channel,
      current_bid: formatCents(event.currentCents, decimals),
      outcome: event.outcome,
      quantity_left: event.leftCount,
      sequence: event.sequence,
      take: event.take,
      type: event.type,
    });
  }
  if (event.type !== 'bid_voided') return commonText(event, decimals, commit);
  return canonicalJson({
    bid_count: event.bidCount,
    bid_id: event.bidId,
    current_bid: formatCents(event.currentCents, decimals),
    reason: event.reason,
    sequence: event.sequence,
    type: event.type,
  });
}
