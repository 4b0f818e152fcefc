/** Following a seller, leaving one, and whom the caller follows. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { done, listOf } from '../../../adapters/http/envelope.ts';
import { Id, Time } from '../../shared/fields.schema.ts';
import { listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readPage } from '../../shared/paging/read-page.ts';
import { type FollowedSeller, followedSellers, followSeller, unfollowSeller } from './following.ts';

const FollowedSellerView = Type.Object(
  { team_id: Type.Integer(), name: Type.String(), slug: Type.String(), followed_at: Time },
  { $id: 'FollowedSeller' },
);
const Done = Type.Object({ success: Type.Literal(true), message: Type.String() });

const PATH = '/api/v1/teams/{team}/follow';
const head = {
  tags: ['Watchlist'],
  unconfirmedToo: true,
  access: { kind: 'ability', ability: 'write' },
  params: Type.Object({ team: Id }),
} as const;

export function followingEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'POST',
      path: PATH,
      operationId: 'followTeam',
      summary: 'Follow a seller',
      description: 'Followers are told of the seller’s new public sales. One follows at most 1,000 sellers.',
      responses: {
        201: { description: 'The caller follows the seller from now on.', schema: Done },
        200: { description: 'The caller followed it already.', schema: Done },
      },
      async handle({ params, principal }) {
        const added = await followSeller(knex, principal.userId, params.team);
        return { ...done('You follow this seller.'), status: added ? 201 : 200 };
      },
    }),
    endpoint({
      ...head,
      method: 'DELETE',
      path: PATH,
      operationId: 'unfollowTeam',
      summary: 'Stop following a seller',
      responses: {
        200: { description: 'The caller does not follow it, whether or not before.', schema: Done },
      },
      async handle({ params, principal }) {
        await unfollowSeller(knex, principal.userId, params.team);
        return done('You do not follow this seller.');
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/me/following',
      operationId: 'listFollowing',
      summary: 'The sellers that the caller follows, the newest first',
      tags: head.tags,
      access: { kind: 'ability', ability: 'read' },
      query: Type.Object(pagingQuery),
      responses: { 200: { description: 'A page of sellers.', schema: listBody(FollowedSellerView) } },
      async handle({ query, principal }) {
        const { rows, paging } = await readPage<FollowedSeller>(
          followedSellers(knex, principal.userId),
          [{ column: 'w.created_at', order: 'desc' }, 'w.team_id'],
          query,
        );
        return listOf(rows, paging);
      },
    }),
  ];
}
