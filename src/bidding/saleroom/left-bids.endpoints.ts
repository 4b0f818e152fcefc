/** Absentee and telephone bids by API: entered before the sale, listed and removed by the selling team alone. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Amount, Id, line, nullable, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { SellerAuctionParams } from '../registrations/registration.schema.ts';
import { requireTeamsAuction } from '../registrations/registrations.ts';
import { type LeftBidParts, leaveBids, readLeftBids, removeLeftBid } from './left-bids.ts';
import { PaddleNumber } from './paddles.endpoints.ts';

const CHANNELS = ['absentee', 'phone'] as const;

const NewLeftBid = Type.Object(
  {
    lot_id: Id,
    paddle: PaddleNumber,
    channel: oneOf(CHANNELS),
    max_amount: Type.Optional(nullable(Amount)),
    phone: Type.Optional(nullable(line(40))),
    language: Type.Optional(nullable(line(60))),
    clerk: Type.Optional(nullable(line(100))),
  },
  { additionalProperties: false },
);
const NewLeftBidsBody = Type.Object(
  { bids: Type.Array(NewLeftBid, { minItems: 1, maxItems: 500 }) },
  {
    $id: 'NewLeftBids',
    additionalProperties: false,
    examples: [
      {
        bids: [
          { lot_id: 123, paddle: '88', channel: 'absentee', max_amount: '1250.00' },
          {
            lot_id: 124,
            paddle: '41',
            channel: 'phone',
            ...{ phone: '+1 555 0100', language: 'Spanish', clerk: 'Ana' },
          },
        ],
      },
    ],
  },
);
const LeftBidBody = Type.Object(
  {
    id: Type.Integer(),
    lot_id: Type.Integer(),
    lot_number: Type.Integer(),
    catalog_number: orNull(Type.String()),
    paddle: Type.String(),
    channel: oneOf(CHANNELS),
    max_amount: orNull(Type.String({ description: 'Of an absentee bid: the most that is called for it.' })),
    phone: orNull(Type.String({ description: 'Of a telephone bid.' })),
    language: orNull(Type.String({ description: 'In which the bidder is spoken to.' })),
    clerk: orNull(Type.String({ description: 'Who phones them.' })),
    left_at: Time,
  },
  { $id: 'LeftBid' },
);

const PATH = '/api/v1/seller/auctions/{id}/left-bids';
const head = {
  tags: ['Registration'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
} as const;

export function leftBidEndpoints(parts: LeftBidParts): Endpoint[] {
  return [leave(parts), list(parts), remove(parts)];
}

function leave(parts: LeftBidParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: PATH,
    operationId: 'leaveBids',
    summary: 'Enter absentee and telephone bids',
    description:
      'Bids that were left with the house before a saleroom’s sale, all or none, in the order in which they were ' +
      'left: an absentee bid has `max_amount`, a telephone bid `phone`. The clerk’s console calls absentee bids as ' +
      'bids of the floor, never above their maximum; of equal ones the earlier wins. A paddle leaves one bid a lot, ' +
      'and must be handed out or belong to a bidder who agreed to bids from the saleroom. Nobody but the team reads ' +
      'them.',
    params: SellerAuctionParams,
    body: NewLeftBidsBody,
    codes: [...TEAM_CODES, 'not_simulcast', 'invalid_transition', 'journal_unavailable'],
    responses: { 201: { description: 'The bids.', schema: bodyOf(Type.Array(LeftBidBody)) } },
    async handle(request) {
      const { params, body, principal } = request;
      await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), params.id);
      return success(await leaveBids(parts, params.id, body.bids, principal.userId), { status: 201 });
    },
  });
}

function list(parts: LeftBidParts): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: PATH,
    operationId: 'listLeftBids',
    summary: 'The bids that were left with the house, by lot',
    params: SellerAuctionParams,
    query: Type.Object({ ...pagingQuery, lot_id: Type.Optional(Id) }),
    codes: [...TEAM_CODES],
    responses: { 200: { description: 'A page of bids.', schema: listBody(LeftBidBody) } },
    async handle(request) {
      const { params, query } = request;
      await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), params.id);
      const { page, per_page: perPage, lot_id: lotId = null } = query;
      const { rows, total } = await readLeftBids(parts.knex, params.id, { page, perPage, lotId });
      return listOf(rows, { page, perPage, total });
    },
  });
}

function remove(parts: LeftBidParts): Endpoint {
  return endpoint({
    ...head,
    method: 'DELETE',
    path: `${PATH}/{left_bid}`,
    operationId: 'removeLeftBid',
    summary: 'Remove a bid that was left',
    description: 'What was already called for it stands.',
    params: Type.Object({
      ...SellerAuctionParams.properties,
      left_bid: Id,
    }),
    codes: [...TEAM_CODES],
    notFound: true,
    responses: { 204: { description: 'It is not called any more.' } },
    async handle(request) {
      const { id, left_bid: leftBid } = request.params;
      await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), id);
      await removeLeftBid(parts.knex, id, leftBid);
      return { status: 204 };
    },
  });
}
