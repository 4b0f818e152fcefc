/**
 * What the world may see of an event of this format; what every format has is said by `engine/lot/common-events.ts`.
 * Keys are in sorted order, because the hash chain is taken over the canonical form (RFC 8785); a test holds every kind
 * of event to it.
 */
import { quoted } from '../../canonical.ts';
import { type Commit, commonText } from '../../lot/common-events.ts';
import { type Decimals, formatCents } from '../../money.ts';
import { isoFromUs } from '../../time.ts';
import { publicChoice } from './choice-events.ts';
import type {
  EnglishBidPlaced,
  EnglishBidVoided,
  EnglishEvent,
  EnglishHammerFell,
} from './english-events.ts';

/**
 * The public form of an event as canonical JSON. `decimals` are those of the lot's currency; `commit` makes the
 * commitment that replaces a secret amount.
 */
export function publicText(event: EnglishEvent, decimals: Decimals, commit: Commit): string {
  if (event.type === 'bid_placed') return publicBid(event, decimals, commit);
  if (event.type === 'choice_opened' || event.type === 'choice_made')
    return JSON.stringify(publicChoice(event, decimals));
  if (event.type === 'hammer_fell') return JSON.stringify(publicFall(event, decimals));
  return event.type === 'bid_voided'
    ? JSON.stringify(publicVoid(event, decimals))
    : commonText(event, decimals, commit);
}

/**
 * A raise does not reveal that it was a raise of which bid, nor what it led to beyond the price. Written by hand, as
 * nearly every event is a bid.
 */
function publicBid(event: EnglishBidPlaced, decimals: Decimals, commit: Commit): string {
  const { bidder, extendedToUs } = event;
  const amount = event.outcome === 'max_raised' ? 'null' : `"${formatCents(event.listedCents, decimals)}"`;
  const extendedTo = extendedToUs === null ? 'null' : `"${isoFromUs(extendedToUs)}"`;
  return (
    `{"amount":${amount},"bid_count":${event.bidCount},"bid_id":${quoted(event.bidId)},` +
    `"bidder":{"alias":${quoted(bidder.alias)},"paddle_number":${quoted(bidder.paddle)}},` +
    `"ceiling_commitment":"${commit(event.salt, event.ceilingCents)}","channel":${quoted(event.channel)},` +
    `"current_bid":"${formatCents(event.currentCents, decimals)}","extended_to":${extendedTo},` +
    `"outcome":"${event.outcome}","sequence":${event.sequence},"type":"bid_placed"}`
  );
}

function publicFall({ sequence, type, untilUs, close }: EnglishHammerFell, decimals: Decimals) {
  const { hammerCents, status, winner } = close;
  return {
    hammer_price: hammerCents === null ? null : formatCents(hammerCents, decimals),
    sequence,
    status,
    type,
    until: isoFromUs(untilUs),
    winner: winner && { alias: winner.alias, paddle_number: winner.paddle },
  };
}

function publicVoid(event: EnglishBidVoided, decimals: Decimals): Record<string, unknown> {
  return {
    bid_count: event.bidCount,
    bid_id: event.bidId,
    current_bid: formatCents(event.currentCents, decimals),
    leader: event.leader && { alias: event.leader.alias, paddle_number: event.leader.paddle },
    reason: event.reason,
    sequence: event.sequence,
    type: event.type,
    ...(event.undone === undefined ? {} : { undone: true }),
  };
}
