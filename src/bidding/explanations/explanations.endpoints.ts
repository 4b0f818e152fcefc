/** `GET /bids/{id}/explanation`: why a bid came out as it did, rule by rule. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { type ExplanationParts, explainBid } from './explain-bid.ts';

export const BidParams = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{1,64}$' }) });

const ExplanationItem = Type.Object(
  {
    bid_id: Type.String(),
    lot_id: Type.Integer(),
    sequence: Type.Integer({ description: 'Of the bid in the lot’s journal.' }),
    leads: Type.Optional(
      Type.Boolean({
        description:
          'Whether it leads now, or led at the end; like the next two only of bids on any combination of lots.',
      }),
    ),
    beaten_by: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The ids of the bids that lead in its place; none where it leads.',
      }),
    ),
    price_to_lead: Type.Optional(
      orNull(
        Type.String({
          description: 'The least with which it would lead; `null` where it does not stand any more.',
        }),
      ),
    ),
    steps: Type.Array(
      Type.Object({
        rule: Type.Integer({ description: 'The rule’s number in the bidding rules.' }),
        sentence: Type.String(),
        values: Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'The values used in the sentence: amounts as decimal strings, times as ISO 8601.',
          },
        ),
      }),
    ),
    receipt: Type.Object(
      { hash: Type.String(), previous_hash: Type.String() },
      { description: 'The entry of the lot’s journal that holds the bid, and the one before it.' },
    ),
    is_mine: Type.Boolean({ description: 'Whether the caller placed it.' }),
  },
  { $id: 'BidExplanation' },
);

export function explanationEndpoints(parts: ExplanationParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/bids/{id}/explanation',
      operationId: 'explainBid',
      summary: 'Explain how a bid was decided, rule by rule',
      description:
        'For the bidder, the seller’s team and admins; after the lot has closed, for anyone who sees it. Ceilings ' +
        'that have not been opened are left out, and while the lot is open so is the reserve.',
      tags: ['Fairness'],
      access: { kind: 'public', session: 'optional' },
      params: BidParams,
      codes: ['lot_still_open'],
      responses: { 200: { description: 'The steps, in order.', schema: bodyOf(ExplanationItem) } },
      async handle({ params, principal }) {
        return success(await explainBid(parts, params.id, principal));
      },
    }),
  ];
}
