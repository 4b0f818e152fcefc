/**
 * Placing a bid with the engine, for the API's routes and the lot page's form. The fingerprint of the idempotency
 * record is the same for all of them.
 */
import type { Principal, Reply } from '../../../adapters/http/endpoint.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { IdempotencyKey } from '../../../engine/actor/pending-command.ts';
import { userKey } from '../../../engine/auction/record.ts';
import type { BidderIdentity, Command } from '../../../engine/lot/commands.ts';
import { newBidId, newSalt } from '../../shared/node-crypto.ts';
import type { BidInput } from './bid.schema.ts';
import { answerBid } from './bid-answer.ts';

/** What placing a bid needs of the engine. */
export type BidEngine = Pick<Engine, 'submit'>;

/** Places a bid: 201, or rejects with a `Refusal` or a fault of the engine. */
export function placeBid(
  engine: BidEngine,
  lotId: number,
  who: Principal,
  key: string | undefined,
  bid: BidInput,
): Promise<Reply> {
  const fingerprint = `bid|${bid.straightCents ?? ''}|${bid.ceilingCents ?? ''}|${bid.currency ?? ''}`;
  const command: Command = {
    type: 'place_bid',
    bidId: newBidId(),
    salt: newSalt(),
    bidder: bidderOf(who),
    channel: 'online',
    straightCents: bid.straightCents,
    ceilingCents: bid.ceilingCents,
    currency: bid.currency,
    confirm: bid.confirm,
    floor: null,
  };
  return submit(engine, lotId, command, idempotencyKeyOf(who, lotId, key, fingerprint));
}

/** Buys a lot at its price, if that is still open; answers as `placeBid` does. */
export function buyNow(
  engine: BidEngine,
  lotId: number,
  who: Principal,
  key: string | undefined,
  currency: string | null,
): Promise<Reply> {
  const bidder = bidderOf(who);
  const command: Command = { type: 'buy_now', bidId: newBidId(), salt: newSalt(), bidder, currency };
  return submit(engine, lotId, command, idempotencyKeyOf(who, lotId, key, `buy|${currency ?? ''}`));
}

/** The caller as the rules see a bidder. */
function bidderOf(who: Principal): BidderIdentity {
  const { userId, verified, suspended, teamIds } = who;
  return { key: userKey(userId), userId, verified, suspended, teamIds, paddle: null };
}

function submit(
  engine: BidEngine,
  lotId: number,
  command: Command,
  key: IdempotencyKey | null,
): Promise<Reply> {
  return engine.submit(lotId, command, key).then(answerBid);
}

function idempotencyKeyOf(
  who: Principal,
  lotId: number,
  key: string | undefined,
  fingerprint: string,
): IdempotencyKey | null {
  return key === undefined ? null : { field: `${who.userId}|${lotId}|${key}`, fingerprint };
}
