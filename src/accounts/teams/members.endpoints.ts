/** Removing people from a team over the API, by those who manage it or by themselves. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { Id } from '../../shared/fields.schema.ts';
import { announceAccountChange, type PubSub } from '../tokens/account-changes.ts';
import { removeMember } from './members.ts';

export function memberEndpoints({
  knex,
  pubSub,
}: {
  readonly knex: Knex;
  readonly pubSub: PubSub;
}): Endpoint[] {
  return [
    endpoint({
      method: 'DELETE',
      path: '/api/v1/teams/{team}/members/{user}',
      operationId: 'removeTeamMember',
      summary: 'Remove a member from a team',
      description:
        'For owners and admins of the team, and for members who leave. The owner cannot be removed. ' +
        'Everything the member did for the team remains with the team.',
      tags: ['Teams'],
      access: { kind: 'ability', ability: 'seller' },
      params: Type.Object({ team: Id, user: Id }),
      codes: ['forbidden'],
      responses: { 204: { description: 'The person is no longer in the team.' } },
      async handle({ params, principal }) {
        await removeMember(knex, params.team, params.user, principal.userId);
        await announceAccountChange(pubSub, { userIds: [params.user] });
        return { status: 204 };
      },
    }),
  ];
}
