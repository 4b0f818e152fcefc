/**
 * What a member's role in a team lets them do: a mere member sees no webhook secrets and deletes nothing; owners and
 * admins do. Taking single media of a lot away is no deletion of the team's.
 */
import type { Knex } from 'knex';
import type { SignedRequest } from '../../../adapters/http/endpoint.ts';
import { forbidden, notFound } from '../../shared/refusal.ts';
import { isKeeper, Membership, type Role, type Team } from '../models/team.model.ts';
import { roleIn } from '../models/team-members.ts';
import { actingTeam } from './team-context.ts';

export async function keepsSecrets(knex: Knex, teamId: number, userId: number): Promise<boolean> {
  return isKeeper(await roleIn(knex, teamId, userId));
}

/** Throws 403 for a mere member; `what` completes the sentence. */
export function requireKeeperRole(role: Role | null, what: string): void {
  if (!isKeeper(role)) throw forbidden(`Only owners and admins of the team may ${what}.`);
}

/** Throws 403 where the caller is a mere member. */
export async function requireKeeper(knex: Knex, teamId: number, userId: number): Promise<void> {
  requireKeeperRole(await roleIn(knex, teamId, userId), 'do this');
}

/** The team. Throws 404 for one that the caller is not in, 403 for a mere member; `what` completes the sentence. */
export async function keptTeam(knex: Knex, teamId: number, userId: number, what: string): Promise<Team> {
  const member = await Membership.query(knex)
    .findOne({ team_id: teamId, user_id: userId })
    .withGraphFetched('team');
  if (member?.team === undefined) throw notFound('There is no such team.');
  requireKeeperRole(member.role, what);
  return member.team;
}

/** The team that a request to delete acts for. Throws what `actingTeam` throws, and 403 for a mere member. */
export async function deletingTeam(
  knex: Knex,
  request: Pick<SignedRequest, 'principal' | 'headers'>,
): Promise<number> {
  const teamId = await actingTeam(knex, request);
  await requireKeeper(knex, teamId, request.principal.userId);
  return teamId;
}
