/**
 * Placing a bid, by either path, and buying now. Hot routes: everything that is not needed to order a bid is kept off
 * them.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { BidAnswer, BidBody, BidWithLotBody, BuyNowBody, IdempotencyHeaders } from './bid.schema.ts';
import { type BidParts, buyNow, placeBid } from './place-bid.ts';

const REFUSALS = [
  'bid_too_low',
  'bid_not_leading',
  'combinations_not_open',
  'not_enough_left',
  'not_in_final_round',
  'choice_pending',
  'currency_mismatch',
  'seller_cannot_bid',
  'registration_required',
  'registration_pending',
  'bidder_suspended',
  'deposit_required',
  'verification_required',
  'bid_limit_exceeded',
  'lot_not_started',
  'lot_closed',
  'lot_withdrawn',
  'auction_paused',
  'max_not_increased',
  'bid_confirmation_required',
  'idempotency_key_reused',
  'overloaded',
  'journal_unavailable',
] as const;

const head = {
  method: 'POST',
  tags: ['Bidding'],
  access: { kind: 'ability', ability: 'write' },
  headers: IdempotencyHeaders,
  hot: true,
  notFound: true,
  suspendedToo: true,
  responses: {
    201: {
      description: 'The bid is recorded in the journal, leading or outbid at once.',
      schema: Type.Object({ success: Type.Literal(true), message: Type.String(), data: BidAnswer }),
      headers: { 'Idempotency-Replayed': '`true` if this is the first answer, repeated.' },
    },
  },
} as const;

/** The bidding routes over an engine. */
export function bidEndpoints(parts: BidParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      path: '/api/v1/lots/{lot}/bids',
      operationId: 'placeBid',
      summary: 'Place a bid on a lot',
      description: BID_DESCRIPTION,
      codes: REFUSALS,
      params: LotParams,
      body: BidBody,
      handle: (request) => placeBid(parts, request.params.lot, request, keyOf(request.headers), request.body),
    }),
    endpoint({
      ...head,
      path: '/api/v1/bids',
      operationId: 'placeBidByLotId',
      summary: 'Place a bid on the lot named in the body',
      description: BID_DESCRIPTION,
      codes: REFUSALS,
      body: BidWithLotBody,
      handle: (request) =>
        placeBid(parts, request.body.lot_id, request, keyOf(request.headers), request.body),
    }),
    endpoint({
      ...head,
      path: '/api/v1/lots/{lot}/buy-now',
      operationId: 'buyNow',
      summary: 'Buy a lot at its buy-now price',
      description:
        'Open until the first bid or, with a reserve, until the reserve is met. Closes the lot as sold.',
      codes: [...REFUSALS, 'buy_now_unavailable'],
      params: LotParams,
      body: BuyNowBody,
      bodyOptional: true,
      handle: (request) => {
        const currency = request.body?.currency?.toLowerCase() ?? null;
        return buyNow(parts, request.params.lot, request, keyOf(request.headers), currency);
      },
    }),
  ];
}

const BID_DESCRIPTION = [
  'Give `amount` for a straight bid of exactly that much, `max_amount` for a proxy bid up to a ceiling, or both.',
  'Send an `Idempotency-Key`: without one, a lost connection leaves it unknown whether the bid was recorded.',
  'A refused bid is not recorded in the journal.',
].join(' ');

/** The idempotency key of a request. */
export function keyOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}
