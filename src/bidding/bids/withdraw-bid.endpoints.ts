/** Taking a sealed bid back, where its lot allows it. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { findBid } from '../journal/find-bid.ts';
import type { EntrySources } from '../journal/lot-entries.ts';
import { refusalOf } from '../refusals.ts';
import { bidderOf } from './place-bid.ts';

export interface WithdrawParts extends EntrySources {
  readonly engine: Pick<Engine, 'submit'>;
}

const WithdrawnBid = Type.Object({ id: Type.String(), lot_id: Type.Integer() }, { $id: 'WithdrawnBid' });

/** `DELETE /api/v1/bids/{id}`. */
export function withdrawBidEndpoints(parts: WithdrawParts): Endpoint[] {
  return [
    endpoint({
      method: 'DELETE',
      path: '/api/v1/bids/{id}',
      operationId: 'withdrawBid',
      summary: 'Take a sealed bid back',
      description:
        'Until the end of a lot that is sold by tender with `tender_may_withdraw`, and not in its final round. Every ' +
        'other bid stands for good.',
      tags: ['Bidding'],
      access: { kind: 'ability', ability: 'write' },
      params: Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{1,64}$' }) }),
      codes: ['withdrawal_not_allowed', 'auction_paused', 'overloaded', 'journal_unavailable'],
      notFound: true,
      responses: { 200: { description: 'It no longer stands.', schema: bodyOf(WithdrawnBid) } },
      async handle({ params, principal }) {
        const { id: bidId } = params;
        const found = await findBid(parts, bidId);
        if (found === null || !(await mayBeOwn(parts, bidId, principal.userId))) throw noBid();
        const bidder = bidderOf(principal);
        const result = await parts.engine.submit(found.lotId, { type: 'withdraw_bid', bidId, bidder });
        if (result.kind !== 'answer') throw noBid();
        const { answer } = result;
        if (answer.kind === 'refused') {
          if (answer.code === 'bid_unknown') throw noBid();
          // One that has left the journal refuses everything alike.
          if (answer.code === 'lot_closed') throw new Refusal('withdrawal_not_allowed');
          throw refusalOf(answer);
        }
        return success({ id: bidId, lot_id: found.lotId }, { message: 'Your bid no longer stands.' });
      },
    }),
  ];
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
