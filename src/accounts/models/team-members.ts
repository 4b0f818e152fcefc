/** Who is in which team and as what, as the API, the pages and the office need it. */
import type { Knex } from 'knex';
import { Membership, type Role, Team } from './team.model.ts';

/** A team with what somebody is in it. */
export type OwnTeam = Team & { readonly role: Role };

/** The teams that somebody is in; the caller says in which order. */
export function teamsOf(knex: Knex, userId: number) {
  return Team.query(knex)
    .joinRelated('memberships')
    .where('memberships.user_id', userId)
    .select('teams.*', 'memberships.role')
    .castTo<OwnTeam[]>();
}

export interface TeamMember {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joined_at: string;
}

/** The members of a team; the caller says in which order. */
export function membersOf(knex: Knex, teamId: number) {
  return Membership.query(knex)
    .joinRelated('user')
    .where('memberships.team_id', teamId)
    .select('user.id', 'user.name', 'user.email', 'memberships.role', 'memberships.created_at as joined_at')
    .castTo<TeamMember[]>();
}

/** What somebody is in a team; null: they are not in it. */
export async function roleIn(knex: Knex, teamId: number, userId: number): Promise<Role | null> {
  return (await Membership.query(knex).findOne({ team_id: teamId, user_id: userId }))?.role ?? null;
}
