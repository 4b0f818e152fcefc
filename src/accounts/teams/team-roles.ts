/**
 * What a member's role in a team lets them do: a mere member sees no webhook secrets and deletes nothing; owners and
 * admins do. Taking single media of a lot away is no deletion of the team's.
 */
import type { Knex } from 'knex';
import type { SignedRequest } from '../../../adapters/http/endpoint.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { TEAM_POLICY, type TeamAction } from '../../shared/policy/team-policy.ts';
import { forbidden, notFound } from '../../shared/refusal.ts';
import { isKeeper, Membership, type Role, type Team } from '../models/team.model.ts';
import { roleIn } from '../models/team-members.ts';
import { actingTeam } from './team-context.ts';

export async function keepsSecrets(knex: Knex, teamId: number, userId: number): Promise<boolean> {
  return isKeeper(await roleIn(knex, teamId, userId));
}

/** What a refusal says. */
interface RoleWords {
  /** Completes the sentence that mere members read. */
  readonly what: string;
  /** The sentence that owners and admins read; without it the table's. */
  readonly otherwise?: string;
}

/** Throws what the table says of a member with this role. */
export function requireRole<S extends string, A extends string>(
  table: Policy<S, A>,
  action: NoInfer<A>,
  state: NoInfer<S>,
  role: Role,
  { what, otherwise }: RoleWords = { what: 'do this' },
): void {
  const sentence = isKeeper(role) ? otherwise : onlyKeepers(what);
  requireAllowed(table, action, state, role, sentence === undefined ? {} : { message: sentence });
}

/** As `requireRole`, for somebody who is in the team. */
export async function requireRoleIn<S extends string, A extends string>(
  knex: Knex,
  table: Policy<S, A>,
  action: NoInfer<A>,
  state: NoInfer<S>,
  { teamId, userId }: { readonly teamId: number; readonly userId: number },
): Promise<void> {
  const role = await roleIn(knex, teamId, userId);
  if (role === null) throw notFound('There is no such team.');
  requireRole(table, action, state, role);
}

/** Throws 403 where the caller is a mere member. */
async function requireKeeper(knex: Knex, teamId: number, userId: number): Promise<void> {
  if (!isKeeper(await roleIn(knex, teamId, userId))) throw forbidden(onlyKeepers('do this'));
}

const onlyKeepers = (what: string) => `Only owners and admins of the team may ${what}.`;

/**
 * The team. Throws 404 for one that the caller is not in, and what the table says of their role; `what` completes the
 * sentence.
 */
export async function keptTeam(
  knex: Knex,
  teamId: number,
  userId: number,
  action: TeamAction,
  what: string,
): Promise<Team> {
  const member = await Membership.query(knex)
    .findOne({ team_id: teamId, user_id: userId })
    .withGraphFetched('team');
  if (member?.team === undefined) throw notFound('There is no such team.');
  const state = member.team.personal ? 'personal' : 'shared';
  const words = { what, otherwise: 'A personal team has no other members.' };
  requireRole(TEAM_POLICY, action, state, member.role, words);
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
