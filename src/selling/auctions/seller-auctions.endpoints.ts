/** The sellers' auctions: list, make, read, change. All in the context of the team that the caller acts for. */

import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { actingSeller } from '../../accounts/teams/seller.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readPage } from '../../shared/paging/read-page.ts';
import { AUCTION_STATUSES } from '../../shared/statuses/auction-statuses.ts';
import { AuctionChangeBody, NewAuctionBody, SellerAuction } from './seller-auction.schema.ts';
import { presentSellerAuction, type SellerAuctionRow, sellerAuctions } from './seller-auction-view.ts';
import { type AuctionParts, changeAuction, createAuction, readSellerAuction } from './seller-auctions.ts';

const head = {
  tags: ['Seller'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
} as const;
const Params = Type.Object({ id: Id });
const CHANGE_CODES = [
  ...TEAM_CODES,
  'plan_limit',
  'seller_not_approved',
  'invalid_transition',
  'auction_locked',
  'overloaded',
  'journal_unavailable',
] as const;

export function sellerAuctionEndpoints(parts: AuctionParts): Endpoint[] {
  return [...listEndpoints(parts), ...singleEndpoints(parts)];
}

/** All auctions of a team: list and make. */
function listEndpoints(parts: AuctionParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'GET',
      path: '/api/v1/seller/auctions',
      operationId: 'listSellerAuctions',
      summary: 'The team’s auctions, newest first',
      codes: [...TEAM_CODES],
      query: Type.Object({
        ...pagingQuery,
        status: Type.Optional(oneOf(AUCTION_STATUSES.statuses)),
      }),
      responses: { 200: { description: 'A page of auctions.', schema: listBody(SellerAuction) } },
      async handle(request) {
        const { query } = request;
        const rows = sellerAuctions(parts.knex, await actingTeam(parts.knex, request));
        if (query.status !== undefined) rows.where('auctions.status', query.status);
        const found = await readPage<SellerAuctionRow>(
          rows,
          [{ column: 'auctions.id', order: 'desc' }],
          query,
        );
        return listOf(
          found.rows.map((row) => presentSellerAuction(row, request.baseUrl)),
          found.paging,
        );
      },
    }),
    endpoint({
      ...head,
      method: 'POST',
      path: '/api/v1/seller/auctions',
      operationId: 'createSellerAuction',
      summary: 'Create an auction',
      description: 'A draft, unless `status` is `scheduled`, which publishes it at once.',
      codes: CHANGE_CODES,
      body: NewAuctionBody,
      responses: { 201: { description: 'The auction.', schema: bodyOf(SellerAuction) } },
      async handle(request) {
        const seller = await actingSeller(parts.knex, request);
        const row = await createAuction(parts, seller, request.body);
        return success(presentSellerAuction(row, request.baseUrl), {
          status: 201,
          message: 'Auction created.',
        });
      },
    }),
  ];
}

/** One auction: read and change. */
function singleEndpoints(parts: AuctionParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'GET',
      path: '/api/v1/seller/auctions/{id}',
      operationId: 'getSellerAuction',
      summary: 'One of the team’s auctions, in any state',
      codes: [...TEAM_CODES],
      params: Params,
      responses: { 200: { description: 'The auction.', schema: bodyOf(SellerAuction) } },
      async handle(request) {
        const teamId = await actingTeam(parts.knex, request);
        const row = await readSellerAuction(parts, teamId, request.params.id);
        return success(presentSellerAuction(row, request.baseUrl));
      },
    }),
    endpoint({
      ...head,
      method: 'PATCH',
      path: '/api/v1/seller/auctions/{id}',
      operationId: 'changeSellerAuction',
      summary: 'Change an auction or its status',
      description:
        'From the first bid on premium, currency, increments, start, stagger and an earlier end are ' +
        'frozen. `status` requests a change of status: draft → scheduled, active ↔ paused, → cancelled (with bids by ' +
        'an admin only). While an open lot has bids, what touches bidders (an end later by more than a day, ' +
        'the bid limit, approval, deposit or verification asked for anew, privacy, an earlier payment, a way to pay ' +
        'less, an earlier last day to collect, a pause over an hour) is for ' +
        'owners and admins of the team, with a `reason`; bidders are told it, and the auction’s `history` has it.',
      codes: CHANGE_CODES,
      params: Params,
      body: AuctionChangeBody,
      responses: { 200: { description: 'The auction after the change.', schema: bodyOf(SellerAuction) } },
      async handle(request) {
        const seller = await actingSeller(parts.knex, request);
        const row = await changeAuction(parts, seller, request.params.id, request.body);
        return success(presentSellerAuction(row, request.baseUrl), { message: 'Auction updated.' });
      },
    }),
  ];
}
