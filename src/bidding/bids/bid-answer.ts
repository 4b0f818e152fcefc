/**
 * The engine's answers as HTTP: 201 for every bid that stands in the journal, a coded refusal otherwise, 503 for faults. One
 * exhaustive table says which refusal becomes what.
 */
import type { Reply } from '../../../adapters/http/endpoint.ts';
import { failure } from '../../../adapters/http/envelope.ts';
import { type ErrorCode, notFound, type Problem, refuse } from '../../../adapters/http/problem.ts';
import type { Reply as EngineReply } from '../../../engine/actor/ask.ts';
import { JournalUnavailable, Overloaded } from '../../../engine/journal.ts';
import type { AcceptedBid, RefusalCode, Refused } from '../../../engine/lot/answers.ts';
import type { BidOutcome } from '../../../engine/lot/events.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';

const MESSAGES: Readonly<Record<BidOutcome, string>> = {
  leading: 'You are the high bidder.',
  leading_reserve_not_met: 'You are the high bidder, but the reserve has not been met.',
  outbid: 'You have been outbid.',
  max_raised: 'Your maximum bid has been raised.',
  won: 'You have bought the lot.',
};

/** The code on the wire for each refusal that a bidder can meet; null is 404, `unexpected` ones belong to other commands. */
const CODES: Readonly<Record<RefusalCode, ErrorCode | null>> = {
  not_visible: null,
  bid_unknown: null,
  lot_withdrawn: 'lot_withdrawn',
  auction_paused: 'auction_paused',
  lot_closed: 'lot_closed',
  lot_not_started: 'lot_not_started',
  seller_cannot_bid: 'seller_cannot_bid',
  bidder_suspended: 'bidder_suspended',
  verification_required: 'verification_required',
  registration_required: 'registration_required',
  registration_pending: 'registration_pending',
  deposit_required: 'deposit_required',
  currency_mismatch: 'currency_mismatch',
  max_not_increased: 'max_not_increased',
  bid_too_low: 'bid_too_low',
  bid_limit_exceeded: 'bid_limit_exceeded',
  bid_confirmation_required: 'bid_confirmation_required',
  buy_now_unavailable: 'buy_now_unavailable',
  already_voided: 'already_voided',
  lot_locked: 'lot_locked',
  lot_already_sold: 'lot_already_sold',
  invalid_transition: 'invalid_transition',
  admin_required: 'invalid_transition',
  floor_duplicate: 'lot_already_sold',
  floor_stale: 'invalid_transition',
};

const REPLAYED = { 'Idempotency-Replayed': 'true' } as const;

/** A bid's reply; throws what is no answer to a bid. */
export function bidReply(reply: EngineReply): Reply {
  if (reply.kind === 'no_lot') return failure(notFound('There is no such lot.'));
  if (reply.kind === 'key_reused') return failure(refuse('idempotency_key_reused'));
  if (reply.kind === 'needs_history' || reply.answer.kind === 'done')
    throw new Error('a bid got another command’s answer');
  const headers = reply.replayed ? REPLAYED : undefined;
  if (reply.answer.kind === 'refused') {
    const answer = failure(problemOf(reply.answer));
    return headers === undefined ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
  }
  return { status: 201, raw: acceptedText(reply.answer), headers };
}

/** A refusal by the rules as a problem; with how the lot stands, unless the caller may not see it. */
export function problemOf(refused: Refused): Problem {
  const code = CODES[refused.code];
  if (code === null) return notFound('There is no such lot.');
  const data = {
    current_bid: formatCents(refused.currentCents),
    minimum_next_bid: formatCents(refused.minimumNextCents),
    end_time: isoFromUs(refused.endsAtUs),
  };
  if (code !== 'bid_too_low') return refuse(code, { data });
  const message = `The bid must be at least ${data.minimum_next_bid}.`;
  return refuse(code, { message, data, errors: { amount: [message] } });
}

/**
 * Printed by hand, in the order of the schema: half of what printing an object costs. Everything in it is a number or plain text
 * of our own, but for the channel and the paddle, which a platform may have named.
 */
function acceptedText(bid: AcceptedBid): string {
  const { lot } = bid;
  return (
    `{"success":true,"message":"${MESSAGES[bid.outcome]}","data":{"id":"${bid.bidId}","lot_id":${bid.lotId},` +
    `"auction_id":${bid.auctionId},"outcome":"${bid.outcome}","amount":"${formatCents(bid.amountCents)}",` +
    `"max_amount":"${formatCents(bid.maxCents)}","channel":${JSON.stringify(bid.channel)},"sequence":${bid.sequence},` +
    `"placed_at":"${isoFromUs(bid.placedAtUs)}","paddle_number":${JSON.stringify(bid.paddle)},` +
    `"lot":{"current_bid":"${formatCents(lot.currentCents)}","minimum_next_bid":"${formatCents(lot.minimumNextCents)}",` +
    `"bid_count":${lot.bidCount},"reserve_met":${lot.reserveMet},"is_high_bidder":${lot.isHighBidder},` +
    `"end_time":"${isoFromUs(lot.endsAtUs)}","extended":${lot.extended},"status":"${lot.status}"},` +
    `"receipt":{"hash":"${bid.hash}","previous_hash":"${bid.previousHash}"}}}`
  );
}

/** A fault of the engine as the 503 that tells the caller what to do; anything else is passed on as it is. */
export function faultOf(error: unknown): unknown {
  if (error instanceof Overloaded) return refuse('overloaded');
  if (error instanceof JournalUnavailable) return refuse('journal_unavailable');
  return error;
}
