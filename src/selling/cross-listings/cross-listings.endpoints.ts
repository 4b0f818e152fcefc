/** The sellers' routes for listing a lot on platforms of the directory as well. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { done, listOf, success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { PlatformColumns } from '../../catalog/directory/cross-listing-platform.model.ts';
import { Id, Slug } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readModelPage } from '../../shared/paging/read-page.ts';
import { ListingColumns } from './cross-listing.model.ts';
import { type ListingOnPlatform, listingsOf, listLot, requireTeamsLot, unlistLot } from './cross-listings.ts';

const id = Id;
const PATH = '/api/v1/seller/lots/{id}/cross-listings';

const Listing = Type.Object(
  {
    ...Type.Pick(ListingColumns, ['id', 'lot_id', 'status', 'created_at', 'ended_at']).properties,
    platform: Type.Pick(PlatformColumns, ['id', 'slug', 'name']),
  },
  { $id: 'CrossListing' },
);

const Removed = Type.Object({ success: Type.Literal(true), message: Type.String() });

const head = {
  tags: ['Cross-listing'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
} as const;

export function crossListingEndpoints({ knex }: { readonly knex: Knex }): Endpoint[] {
  return [list(knex), create(knex), remove(knex)];
}

function list(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: PATH,
    operationId: 'listCrossListings',
    summary: 'The cross-listings of a lot, newest first',
    codes: TEAM_CODES,
    params: Type.Object({ id }),
    query: Type.Object(pagingQuery),
    responses: { 200: { description: 'A page of listings.', schema: listBody(Listing) } },
    async handle(request) {
      const lotId = request.params.id;
      await requireTeamsLot(knex, await actingTeam(knex, request), lotId);
      const found = await readModelPage(
        listingsOf(knex, lotId),
        [{ column: 'id', order: 'desc' }],
        request.query,
      );
      return listOf(found.rows.map(present), found.paging);
    },
  });
}

function create(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: PATH,
    operationId: 'createCrossListing',
    summary: 'Cross-list a lot on a platform of the directory',
    description:
      'Sent as `listing.created` to the team’s webhook subscriptions; changes of the lot are sent as ' +
      '`listing.updated`, its close as `listing.ended`.',
    codes: [...TEAM_CODES, 'invalid_transition'],
    params: Type.Object({ id }),
    body: Type.Object({ platform: Slug }, { $id: 'NewCrossListing', additionalProperties: false }),
    responses: {
      201: { description: 'The listing.', schema: bodyOf(Listing) },
      200: { description: 'The lot is already listed there.', schema: bodyOf(Listing) },
    },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      const { listing, isNew } = await listLot(knex, teamId, request.params.id, request.body.platform);
      return success(present(listing), { status: isNew ? 201 : 200 });
    },
  });
}

function remove(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'DELETE',
    path: `${PATH}/{listing}`,
    operationId: 'removeCrossListing',
    summary: 'Remove a cross-listing',
    description: 'Sent to subscriptions as `listing.removed`.',
    codes: TEAM_CODES,
    params: Type.Object({ id, listing: id }),
    responses: { 200: { description: 'The listing is removed.', schema: Removed } },
    async handle(request) {
      const { id: lotId, listing } = request.params;
      await unlistLot(knex, await actingTeam(knex, request), lotId, listing);
      return done('Listing removed.');
    },
  });
}

function present({ id, lot_id, platform, status, created_at, ended_at }: ListingOnPlatform) {
  const { id: platformId, slug, name } = platform;
  return { id, lot_id, platform: { id: platformId, slug, name }, status, created_at, ended_at };
}
