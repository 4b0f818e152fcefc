/**
 * Placing a bid, by either path, and buying now. Hot routes: everything that is not needed to order a bid is kept off them.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Principal, type Reply } from '../../adapters/http/endpoint.ts';
import type { AskKey } from '../../engine/actor/ask.ts';
import type { Engine } from '../../engine/actor/engine.ts';
import { userKey } from '../../engine/auction/record.ts';
import type { BidderIdentity, Command } from '../../engine/lot/commands.ts';
import { newBidId, newSalt } from '../journal/node-crypto.ts';
import { LotParams } from '../lots/lot-params.ts';
import {
  BidAnswer,
  BidBody,
  type BidInput,
  BidWithLotBody,
  BuyNowBody,
  IdempotencyHeaders,
  readBid,
} from './bid.schema.ts';
import { bidReply, faultOf } from './bid-answer.ts';

const REFUSALS = [
  'bid_too_low',
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
  responses: {
    201: {
      description: 'The bid stands in the journal, leading or outbid at once.',
      schema: Type.Object({ success: Type.Literal(true), message: Type.String(), data: BidAnswer }),
      headers: { 'Idempotency-Replayed': '`true` where this is the first answer given again.' },
    },
  },
} as const;

/** The bidding routes over an engine. */
export function bidEndpoints(engine: Pick<Engine, 'ask'>): Endpoint[] {
  const place = (lotId: number, who: Principal, key: string | undefined, bid: BidInput) => {
    const fingerprint = `bid|${bid.amountCents ?? ''}|${bid.maxCents ?? ''}|${bid.currency ?? ''}`;
    const command: Command = {
      type: 'place_bid',
      bidId: newBidId(),
      salt: newSalt(),
      bidder: bidderOf(who),
      channel: 'online',
      floor: null,
      ...bid,
    };
    return ask(engine, lotId, command, askKey(who, lotId, key, fingerprint));
  };
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
      handle: ({ params, body, principal, headers }) =>
        place(params.lot, principal!, keyOf(headers), readBid(body)),
    }),
    endpoint({
      ...head,
      path: '/api/v1/bids',
      operationId: 'placeBidByLotId',
      summary: 'Place a bid, the lot named in the body',
      description: BID_DESCRIPTION,
      codes: REFUSALS,
      body: BidWithLotBody,
      handle: ({ body, principal, headers }) => place(body.lot_id, principal!, keyOf(headers), readBid(body)),
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
      handle: ({ params, body, principal, headers }) => {
        const who = principal!;
        const currency = body?.currency?.toLowerCase() ?? null;
        const command: Command = {
          type: 'buy_now',
          bidId: newBidId(),
          salt: newSalt(),
          bidder: bidderOf(who),
          currency,
        };
        return ask(
          engine,
          params.lot,
          command,
          askKey(who, params.lot, keyOf(headers), `buy|${currency ?? ''}`),
        );
      },
    }),
  ];
}

const BID_DESCRIPTION = [
  'Give `amount` for a straight bid of exactly that much, `max_amount` for a proxy bid up to a ceiling, or both.',
  'Send an `Idempotency-Key`: without one nobody can tell after a cut connection whether the bid stands.',
  'A refused bid leaves no trace in the journal.',
].join(' ');

async function ask(
  engine: Pick<Engine, 'ask'>,
  lotId: number,
  command: Command,
  key: AskKey | null,
): Promise<Reply> {
  try {
    return bidReply(await engine.ask(lotId, command, key));
  } catch (error) {
    throw faultOf(error);
  }
}

/** The caller as the rules see a bidder. */
export function bidderOf(who: Principal): BidderIdentity {
  const { userId, verified, suspended, teamIds } = who;
  return { key: userKey(userId), userId, verified, suspended, teamIds, paddle: null };
}

function keyOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  return headers['idempotency-key'] as string | undefined;
}

function askKey(who: Principal, lotId: number, key: string | undefined, fingerprint: string): AskKey | null {
  return key === undefined ? null : { field: `${who.userId}|${lotId}|${key}`, fingerprint };
}
