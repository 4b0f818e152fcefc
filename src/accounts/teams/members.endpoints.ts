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
      summary: 'Take somebody out of a team',
      description:
        'For owners and admins of the team, and for members who leave it themselves. The owner stays. ' +
        'What they did for the team stays the team’s.',
      tags: ['Teams'],
      access: { kind: 'ability', ability: 'seller' },
      params: Type.Object({ team: Id, user: Id }),
      codes: ['forbidden'],
      responses: { 204: { description: 'They are no longer in the team.' } },
      async handle({ params, principal }) {
        await removeMember(knex, params.team, params.user, principal.userId);
        await announceAccountChange(pubSub, { userIds: [params.user] });
        return { status: 204 };
      },
    }),
  ];
}
