/**
 * Which team a seller's request acts for: the one that `X-Team-Id` names, or the one the caller works in at present, or
 * their personal one. Every endpoint with the ability `seller` calls this.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { Principal, SignedRequest } from '../../../adapters/http/endpoint.ts';
import { Refusal } from '../../shared/refusal.ts';
import { Team } from '../models/team.model.ts';

/** The checked headers of an endpoint that acts for a team. */
export const TeamHeaders = Type.Object({
  'x-team-id': Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,14}$',
      description: 'The team to act for. Default: the caller’s current or personal team.',
      'x-message': 'must be the id of a team',
    }),
  ),
});

/** The refusal that team contexts add; for an endpoint's `codes`. */
export const TEAM_CODES = ['not_a_team_member', 'two_factor_required'] as const;

/** Throws 403 `two_factor_required` where the team requires a second factor that the caller has not set up. */
export function requireUnlocked({ lockedTeamIds }: Pick<Principal, 'lockedTeamIds'>, teamId: number): number {
  if (lockedTeamIds.includes(teamId)) throw new Refusal('two_factor_required');
  return teamId;
}

/** The team's id. Throws 403 `not_a_team_member` where the caller is not in it, and what `requireUnlocked` throws. */
export async function actingTeam(
  knex: Knex,
  { principal, headers }: Pick<SignedRequest, 'principal' | 'headers'>,
): Promise<number> {
  const { userId, teamIds, currentTeamId } = principal;
  const named = headers['x-team-id'];
  if (typeof named === 'string') {
    const teamId = Number(named);
    if (teamIds.includes(teamId)) return requireUnlocked(principal, teamId);
    throw new Refusal('not_a_team_member');
  }
  if (currentTeamId !== null && teamIds.includes(currentTeamId))
    return requireUnlocked(principal, currentTeamId);
  const personal = await Team.query(knex).findOne({ personal_user_id: userId });
  if (personal === undefined) throw new Refusal('not_a_team_member');
  return requireUnlocked(principal, personal.id);
}
