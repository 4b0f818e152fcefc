/** Taking a sealed bid back, where its lot allows it. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { type WithdrawParts, withdrawBid } from './withdraw-bid.ts';

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
        const { lotId } = await withdrawBid(parts, params.id, principal);
        return success({ id: params.id, lot_id: lotId }, { message: 'Your bid no longer stands.' });
      },
    }),
  ];
}
