/** What owners and admins decide about their team: whether its members need a second factor. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type SignedRequest } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { Id } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { Refusal } from '../../shared/refusal.ts';
import { readTwoFactor } from '../credentials/two-factor.ts';
import { Membership, Team, TeamColumns } from '../models/team.model.ts';
import { announceAccountChange, type PubSub } from '../tokens/account-changes.ts';
import { keptTeam } from './team-roles.ts';

const TeamView = Type.Pick(
  TeamColumns,
  ['id', 'name', 'slug', 'personal', 'require_two_factor', 'created_at'],
  { $id: 'Team' },
);

const TeamChanges = Type.Object(
  { require_two_factor: Type.Optional(Type.Boolean()) },
  { $id: 'TeamChanges', additionalProperties: false, minProperties: 1 },
);

export interface TeamParts {
  readonly knex: Knex;
  readonly pubSub: PubSub;
}

export function teamEndpoints(parts: TeamParts): Endpoint[] {
  return [
    endpoint({
      method: 'PATCH',
      path: '/api/v1/teams/{team}',
      operationId: 'changeTeam',
      summary: 'Change what a team requires of its members',
      description: 'For owners and admins of the team. To require a second factor, the caller must have one.',
      tags: ['Teams'],
      access: { kind: 'ability', ability: 'seller' },
      params: Type.Object({ team: Id }),
      body: TeamChanges,
      codes: ['forbidden', 'two_factor_required'],
      responses: { 200: { description: 'The team after the change.', schema: bodyOf(TeamView) } },
      async handle({ params, principal, body }) {
        const team = await changeTeam(parts, params.team, principal, body.require_two_factor);
        const { id, name, slug, personal, require_two_factor, created_at } = team;
        return success({ id, name, slug, personal, require_two_factor, created_at });
      },
    }),
  ];
}

/** Throws 404 for teams that the caller is not in, 403 for mere members and for callers without a second factor. */
async function changeTeam(
  { knex, pubSub }: TeamParts,
  teamId: number,
  { userId }: SignedRequest['principal'],
  requireTwoFactor: boolean | undefined,
): Promise<Team> {
  const team = await keptTeam(knex, teamId, userId, 'change it');
  const wanted = requireTwoFactor ?? team.require_two_factor;
  // Also where it is required already: an admin without a second factor must not be the one to take it away.
  if ((wanted || team.require_two_factor) && !(await readTwoFactor(knex, userId)).enabled) {
    throw new Refusal('two_factor_required');
  }
  if (wanted === team.require_two_factor) return team;
  const changed = await Team.query(knex).patchAndFetchById(teamId, { require_two_factor: wanted });
  const members = await Membership.query(knex).where('team_id', teamId);
  await announceAccountChange(pubSub, { userIds: members.map((one) => one.user_id) });
  return changed;
}
