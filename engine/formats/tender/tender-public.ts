/** What the world may see of a tender's events, once it may see any but the first. */
import { canonicalJson } from '../../canonical.ts';
import { type Commit, commonText } from '../../lot/common-events.ts';
import type { BidPlaced } from '../../lot/events.ts';
import { type Decimals, formatCents } from '../../money.ts';
import { isoFromUs } from '../../time.ts';
import type { TenderEvent } from './tender-events.ts';

export function publicText(event: TenderEvent, decimals: Decimals, commit: Commit): string {
  const { sequence, type } = event;
  const amount = (cents: number) => formatCents(cents, decimals);
  switch (event.type) {
    case 'bid_sealed': {
      const { bidId, bidder, commitment, replaces } = event;
      return canonicalJson({ bid_id: bidId, bidder: shown(bidder), commitment, replaces, sequence, type });
    }
    case 'bid_unsealed':
      return canonicalJson({ bid_id: event.bidId, by: event.by, reason: event.reason, sequence, type });
    case 'final_round_opened':
      return canonicalJson({ end_time: isoFromUs(event.endsAtUs), sequence, type });
    case 'bids_opened': {
      const bids = event.bids.map((bid) => ({
        amount: amount(bid.cents),
        bid_id: bid.bidId,
        bidder: shown(bid),
        rank: bid.rank,
        round: bid.round,
        salt: bid.salt,
      }));
      return canonicalJson({ bids, sequence, type });
    }
    case 'bid_placed':
      return canonicalJson({
        amount: amount(event.amountCents),
        bid_count: event.bidCount,
        bid_id: event.bidId,
        bidder: shown(event.bidder),
        channel: event.channel,
        current_bid: amount(event.currentCents),
        outcome: event.outcome,
        sequence,
        type,
      });
    default:
      return commonText(event, decimals, commit);
  }
}

function shown({ alias, paddle }: Pick<BidPlaced['bidder'], 'alias' | 'paddle'>) {
  return { alias, paddle_number: paddle };
}
