/** A bidder takes a sealed bid of their own back, over the API or from the lot's page. */
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { findBid, type LotOfBid } from '../journal/find-bid.ts';
import type { EntrySources } from '../journal/lot-entries.ts';
import { refusalOf } from '../refusals.ts';
import { bidderOf } from './place-bid.ts';

export interface WithdrawParts extends EntrySources {
  readonly engine: Pick<Engine, 'submit'>;
}

/** Throws 404 for a bid that is not the caller's, 409 `withdrawal_not_allowed` where it stands for good. */
export async function withdrawBid(
  parts: WithdrawParts,
  bidId: string,
  principal: Principal,
): Promise<LotOfBid> {
  const found = await findBid(parts, bidId);
  if (found === null || !(await mayBeOwn(parts, bidId, principal.userId))) throw noBid();
  const bidder = bidderOf(principal);
  const result = await parts.engine.submit(found.lotId, { type: 'withdraw_bid', bidId, bidder });
  if (result.kind !== 'answer') throw noBid();
  const { answer } = result;
  if (answer.kind !== 'refused') return found;
  if (answer.code === 'bid_unknown') throw noBid();
  // A lot that has left the journal refuses everything alike.
  if (answer.code === 'lot_closed') throw new Refusal('withdrawal_not_allowed');
  throw refusalOf(answer);
}

/** A bid that has a row is somebody's; one that is sealed has none, and its lot knows whose it is. */
async function mayBeOwn({ knex }: WithdrawParts, bidId: string, userId: number): Promise<boolean> {
  const row = await knex('bids')
    .where('bid_id', bidId)
    .first<{ user_id: number | null } | undefined>('user_id');
  return row === undefined || row.user_id === userId;
}

function noBid(): Refusal {
  return notFound('There is no such bid.');
}
