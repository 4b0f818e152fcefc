/** The sale of lots in any combination: which bids lead together, and what a bid on some of them would have to be. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { describedId, orNull } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { ParcelBid } from '../../shared/parcels.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { findVisibleAuction } from '../../shared/visibility/read-visibility.ts';
import { type ParcelsParts, readQuote, readSale } from './read-sale.ts';

const amount = Type.Optional(orNull(Type.String()));

const Parcels = Type.Object(
  {
    total: Type.Optional(Type.String({ description: 'What the bids that lead come to together.' })),
    reserve_met: Type.Optional(Type.Boolean({ description: 'Whether all that leads would buy now.' })),
    end_time: Type.Optional(Type.String({ format: 'date-time' })),
    leading: Type.Optional(Type.Array(ParcelBid)),
    standing: Type.Optional(
      Type.Array(ParcelBid, { description: 'The bids that do not lead now and may yet, until the end.' }),
    ),
    lot_ids: Type.Optional(Type.Array(Type.Integer())),
    units: amount,
    best_bid: amount,
    minimum_bid: Type.Optional(Type.String({ description: 'The least that is taken, with `standing`.' })),
    price_to_lead: Type.Optional(Type.String({ description: 'The least with which a bid would lead now.' })),
    minimum_total: Type.Optional(Type.String({ description: 'Where amounts are for one unit.' })),
    total_to_lead: Type.Optional(Type.String({ description: 'Where amounts are for one unit.' })),
    displaces: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The paddles whose leading bids it would end at that price.',
      }),
    ),
  },
  { $id: 'Parcels' },
);

/** `GET /auctions/{auction}/parcels`. */
export function parcelsEndpoints(parts: ParcelsParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/auctions/{auction}/parcels',
      operationId: 'readParcels',
      summary: 'The lots of an auction that are sold in any combination',
      description:
        'Without `lot_ids` the whole sale: `total`, `reserve_met`, `end_time`, and the bids in `leading` and ' +
        '`standing`. With them what a bid on these lots together would come up against: `best_bid`, `minimum_bid`, ' +
        '`price_to_lead`, `displaces`.',
      tags: ['Bidding'],
      access: { kind: 'public' },
      params: Type.Object({ auction: describedId('The id of the auction.') }),
      query: Type.Object({
        lot_ids: Type.Optional(
          Type.String({
            pattern: '^[0-9]{1,15}(,[0-9]{1,15}){0,15}$',
            description: 'Ids of its lots, separated by commas.',
            'x-message': 'must be ids of lots, separated by commas, at most 16',
          }),
        ),
      }),
      responses: {
        200: { description: 'The sale, or the set.', schema: bodyOf(Parcels) },
      },
      codes: ['validation_failed'],
      notFound: true,
      async handle({ params, query, principal }) {
        if (!(await findVisibleAuction(parts.knex, params.auction, principal)))
          throw notFound('There is no such auction.');
        if (query.lot_ids === undefined) return success(await readSale(parts, params.auction));
        return success(await readQuote(parts, params.auction, query.lot_ids.split(',').map(Number)));
      },
    }),
  ];
}
