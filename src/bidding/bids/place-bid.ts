/**
 * Placing a bid with the engine, for the API's routes and the lot page's form. The fingerprint of the idempotency
 * record is the same for all of them.
 */
import type { Static } from '@sinclair/typebox';
import type { Principal, Reply, SignedRequest } from '../../../adapters/http/endpoint.ts';
import { answerInTime } from '../../../adapters/redis/answer-in-time.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import type { IdempotencyKey } from '../../../engine/actor/pending-command.ts';
import { userKey } from '../../../engine/auction/record.ts';
import type { AcceptedBid, Refused } from '../../../engine/lot/answers.ts';
import type { BidderIdentity, Command } from '../../../engine/lot/commands.ts';
import { newBidId, newSalt } from '../../shared/node-crypto.ts';
import type { OriginNotes } from '../origins/bid-origins.ts';
import { refusalOf } from '../refusals.ts';
import { type BidBody, type BidInput, readBid } from './bid.schema.ts';
import { answerBid } from './bid-answer.ts';

export interface BidParts {
  readonly engine: Pick<Engine, 'submit' | 'decimalsOf'>;
  /** Where is noted from where a bid came. */
  readonly origins: OriginNotes;
}

/** Who sent a bid, and from where. */
export type Sender = Pick<SignedRequest, 'ip' | 'headers'> & { readonly principal: Principal };

/**
 * The lot is waited for, then the commit, each within the journal's own limit; a bid waits so long for both. With the
 * rate limit's before it, it is answered within the two seconds of docs/faults.md.
 */
const ANSWER_MS = 1_600;

/** Places a bid: 201, or rejects with a `Refusal` or a fault of the engine. Throws 422 for amounts that are none. */
export function placeBid(
  parts: BidParts,
  lotId: number,
  sender: Sender,
  key: string | undefined,
  body: Static<typeof BidBody>,
): Promise<Reply> {
  const decimals = parts.engine.decimalsOf(lotId);
  if (typeof decimals === 'number')
    return inTime(submitBid(parts, lotId, sender, key, readBid(body, decimals)));
  return inTime(decimals.then((found) => submitBid(parts, lotId, sender, key, readBid(body, found))));
}

function submitBid(
  parts: BidParts,
  lotId: number,
  sender: Sender,
  key: string | undefined,
  bid: BidInput,
): Promise<Reply> {
  const { take, lotIds, standing } = bid;
  const set =
    lotIds === undefined && standing === undefined ? '' : `|${lotIds?.join() ?? ''}|${standing ?? ''}`;
  const pieces = `${take === undefined ? '' : `|${take}`}${set}`;
  const fingerprint = `bid|${bid.straightCents ?? ''}|${bid.ceilingCents ?? ''}|${bid.currency ?? ''}${pieces}`;
  const command: Command = {
    type: 'place_bid',
    bidId: newBidId(),
    salt: newSalt(),
    bidder: bidderOf(sender.principal),
    channel: 'online',
    straightCents: bid.straightCents,
    ceilingCents: bid.ceilingCents,
    currency: bid.currency,
    confirm: bid.confirm,
    floor: null,
    ...(take === undefined ? null : { take }),
    ...(lotIds === undefined ? null : { lotIds }),
    ...(standing === undefined ? null : { standing }),
  };
  return submit(parts, lotId, sender, command, idempotencyKeyOf(sender, lotId, key, fingerprint));
}

/** Buys a lot at its price, if that is still open; answers as `placeBid` does. */
export function buyNow(
  parts: BidParts,
  lotId: number,
  sender: Sender,
  key: string | undefined,
  currency: string | null,
): Promise<Reply> {
  const bidder = bidderOf(sender.principal);
  const command: Command = { type: 'buy_now', bidId: newBidId(), salt: newSalt(), bidder, currency };
  const record = idempotencyKeyOf(sender, lotId, key, `buy|${currency ?? ''}`);
  return inTime(submit(parts, lotId, sender, command, record));
}

/** What is answered later may have been recorded: sent again with its key, it gets that answer. */
function inTime(reply: Promise<Reply>): Promise<Reply> {
  return answerInTime(reply, ANSWER_MS, late);
}

const late = () => new JournalUnavailable(`the bid was not answered within ${ANSWER_MS} ms`);

/** The caller as the rules see a bidder: who has just left a team is still on its side. */
export function bidderOf(who: Principal): BidderIdentity {
  const { userId, verified, suspended, teamIds, leftTeamIds } = who;
  return { key: userKey(userId), userId, verified, suspended, teamIds, leftTeamIds, paddle: null };
}

function submit(
  { engine, origins }: BidParts,
  lotId: number,
  sender: Sender,
  command: Command,
  key: IdempotencyKey | null,
): Promise<Reply> {
  return engine.submit(lotId, command, key).then((result) => {
    if (result.kind === 'answer' && result.answer.kind === 'refused') {
      const refusal = refusalOf(result.answer, result.replayed);
      const { code, message } = refusal;
      const amountCents =
        command.type === 'place_bid' ? (command.ceilingCents ?? command.straightCents) : null;
      // Of a lot that they may not see nothing is kept, nor of one whose bids are sealed.
      if (!result.replayed && code !== 'not_found' && !isSealedRefusal(result.answer))
        origins.noteRefused({ lotId, userId: sender.principal.userId, amountCents, code, message });
      throw refusal;
    }
    const reply = answerBid(result);
    if (result.kind === 'answer' && result.answer.kind === 'bid' && !result.replayed)
      noteOrigin(origins, lotId, sender, result.answer);
    return reply;
  });
}

/** Where a sealed bid came from would show that there is one. */
function noteOrigin(
  origins: OriginNotes,
  lotId: number,
  { ip: address, headers, principal }: Sender,
  { auctionId, sequence, outcome }: AcceptedBid,
): void {
  if (outcome === 'sealed') return;
  const browser = headers['user-agent'] ?? '';
  origins.note({ auctionId, lotId, userId: principal.userId, sequence, address, browser });
}

/** While bids are sealed, that somebody has tried shows nowhere either. */
function isSealedRefusal({ fields }: Refused): boolean {
  return fields?.['current_bid'] === null;
}

function idempotencyKeyOf(
  { principal }: Sender,
  lotId: number,
  key: string | undefined,
  fingerprint: string,
): IdempotencyKey | null {
  return key === undefined ? null : { field: `${principal.userId}|${lotId}|${key}`, fingerprint };
}
