/** The order of an auction's lots, by API. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { done } from '../../../adapters/http/envelope.ts';
import { actingSeller } from '../../accounts/teams/seller.ts';
import { TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { SellerAuctionParams } from '../../bidding/registrations/registration.schema.ts';
import { Id } from '../../shared/fields.schema.ts';
import { orderLots } from './lot-order.ts';

const MAX_LOTS = 10_000;

export function lotOrderEndpoints({ knex }: Pick<LiveParts, 'knex'>): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/seller/auctions/{id}/lot-order',
      operationId: 'orderSellerLots',
      summary: 'Set the order of an auction’s lots',
      description:
        'Numbers them from 1: those that are named first, in this order, then the others in theirs. Once a lot is ' +
        'published the answer is 409 `lot_locked`.',
      tags: ['Seller'],
      access: { kind: 'ability', ability: 'seller' },
      params: SellerAuctionParams,
      headers: TeamHeaders,
      codes: [...TEAM_CODES, 'lot_locked', 'invalid_transition'],
      notFound: true,
      body: Type.Object(
        { lot_ids: Type.Array(Id, { minItems: 1, maxItems: MAX_LOTS, uniqueItems: true }) },
        { $id: 'LotOrder', additionalProperties: false, examples: [{ lot_ids: [125, 123, 124] }] },
      ),
      responses: {
        200: {
          description: 'The order is set.',
          schema: Type.Object({ success: Type.Literal(true), message: Type.String() }),
        },
      },
      async handle(request) {
        const seller = await actingSeller(knex, request);
        await orderLots(knex, seller, request.params.id, request.body.lot_ids);
        return done('Lots reordered.');
      },
    }),
  ];
}
