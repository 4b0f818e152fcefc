/** The consignor's side: which lots somebody is invited to consign, and accepting. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { acceptConsignment, type ConsignmentParts, listConsignments } from './consignments.ts';

const Consignment = Type.Object(
  {
    lot_id: Type.Integer(),
    auction_id: Type.Integer(),
    title: Type.String(),
    consignor_status: Type.Union([Type.Literal('invited'), Type.Literal('accepted')]),
  },
  { $id: 'Consignment' },
);

const tags = ['Consignments'];

export function consignmentEndpoints(parts: ConsignmentParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/consignments',
      operationId: 'listConsignments',
      summary: 'Lots that the caller consigns or is invited to consign',
      tags,
      access: { kind: 'ability', ability: 'read' },
      query: Type.Object(pagingQuery),
      responses: { 200: { description: 'A page of consignments.', schema: listBody(Consignment) } },
      async handle({ query, principal }) {
        const { rows, paging } = await listConsignments(parts, principal.userId, query);
        return listOf(rows, paging);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/consignments/{lot}/accept',
      operationId: 'acceptConsignment',
      summary: 'Accept being a lot’s consignor',
      description:
        'The seller names a user by `consignor_id`; until they accept here, they are a bidder like any ' +
        'other. From then on they count as part of the seller and cannot bid on the lot.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: LotParams,
      codes: ['has_open_bids', 'lot_locked', 'invalid_transition', 'overloaded', 'journal_unavailable'],
      responses: { 200: { description: 'The caller is the consignor.', schema: bodyOf(Consignment) } },
      async handle({ params, principal }) {
        const accepted = await acceptConsignment(parts, params.lot, principal.userId);
        return success(accepted, { message: 'You are the consignor of this lot.' });
      },
    }),
  ];
}
