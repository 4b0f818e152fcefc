/** The engine's answers to bids as HTTP: 201 for every bid that is in the journal, a coded refusal otherwise. */
import type { Reply } from '../../../adapters/http/endpoint.ts';
import type { CommandResult } from '../../../engine/actor/pending-command.ts';
import { isPlain, quoted } from '../../../engine/canonical.ts';
import type { AcceptedBid } from '../../../engine/lot/answers.ts';
import type { BidOutcome } from '../../../engine/lot/events.ts';
import type { ShownFields } from '../../../engine/lot/shown-fields.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { refusalOf } from '../refusals.ts';

const MESSAGES: Readonly<Record<BidOutcome, string>> = {
  leading: 'You are the high bidder.',
  leading_reserve_not_met: 'You are the high bidder, but the reserve has not been met.',
  outbid: 'You have been outbid.',
  max_raised: 'Your maximum bid has been raised.',
  won: 'You have bought the lot.',
  sealed: 'Your bid is sealed.',
  standing: 'Your bid stands.',
};

export const REPLAYED = { 'Idempotency-Replayed': 'true' } as const;

/** A bid's reply; throws a `Refusal`, and what is no answer to a bid. */
export function answerBid(result: CommandResult): Reply {
  if (result.kind === 'no_lot') throw notFound('There is no such lot.');
  if (result.kind === 'key_reused') throw new Refusal('idempotency_key_reused');
  if (result.kind !== 'answer' || result.answer.kind === 'done')
    throw new Error('a bid got another command’s answer');
  if (result.answer.kind === 'refused') throw refusalOf(result.answer, result.replayed);
  const headers = result.replayed ? REPLAYED : undefined;
  const { channel, paddle, outcome } = result.answer;
  if (outcome === 'sealed') return { status: 201, raw: sealedText(result.answer), headers };
  return {
    status: 201,
    raw: acceptedText(result.answer),
    rawIsAscii: isPlain(channel) && isPlain(paddle) && result.answer.fields === undefined,
    headers,
  };
}

/**
 * Printed by hand, in the order of the schema: half of what printing an object costs. Everything in it is a number or
 * plain text of our own, but for the channel and the paddle, which a platform may have named.
 */
function acceptedText(bid: AcceptedBid): string {
  const { lot, decimals } = bid;
  return (
    `{"success":true,"message":"${MESSAGES[bid.outcome]}","data":{"id":"${bid.bidId}","lot_id":${bid.lotId},` +
    `"auction_id":${bid.auctionId},"outcome":"${bid.outcome}","amount":"${formatCents(bid.listedCents, decimals)}",` +
    `"max_amount":"${formatCents(bid.ceilingCents, decimals)}","channel":${quoted(bid.channel)},"sequence":${bid.sequence},` +
    `"placed_at":"${isoFromUs(bid.placedAtUs)}","paddle_number":${quoted(bid.paddle)},` +
    `"lot":{"current_bid":"${formatCents(lot.currentCents, decimals)}","minimum_next_bid":"${formatCents(lot.minimumNextCents, decimals)}",` +
    `"bid_count":${lot.bidCount},"reserve_met":${lot.reserveMet},"is_high_bidder":${lot.isHighBidder},` +
    `"end_time":"${isoFromUs(lot.endsAtUs)}","extended":${lot.extended},"status":"${lot.status}"${membersText(bid.lotFields)}},` +
    `"receipt":{"hash":"${bid.hash}","previous_hash":"${bid.previousHash}"}${membersText(bid.fields)}}}`
  );
}

/** Of a sealed bid its bidder is told nothing that would show whether there are others. */
function sealedText(bid: AcceptedBid): string {
  const { lot, decimals, outcome } = bid;
  const data = {
    id: bid.bidId,
    lot_id: bid.lotId,
    auction_id: bid.auctionId,
    outcome,
    amount: formatCents(bid.listedCents, decimals),
    max_amount: formatCents(bid.ceilingCents, decimals),
    channel: bid.channel,
    sequence: null,
    placed_at: isoFromUs(bid.placedAtUs),
    paddle_number: bid.paddle,
    lot: {
      current_bid: null,
      minimum_next_bid: formatCents(lot.minimumNextCents, decimals),
      bid_count: null,
      reserve_met: null,
      is_high_bidder: false,
      end_time: isoFromUs(lot.endsAtUs),
      extended: false,
      status: lot.status,
      ...bid.lotFields,
    },
    receipt: { hash: bid.hash },
    ...bid.fields,
  };
  return JSON.stringify({ success: true, message: MESSAGES[outcome], data });
}

/** What the format says of the bid beside this. */
function membersText(fields: ShownFields | undefined): string {
  return fields === undefined ? '' : `,${JSON.stringify(fields).slice(1, -1)}`;
}
