/** The caller's profile as `/me` shows it. */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { User } from './user.model.ts';

interface TeamRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly role: string;
  readonly personal: boolean;
  readonly approved: boolean;
}

/** Reads profile, teams and capabilities. The abilities are the token's. */
export async function readProfile(knex: Knex, principal: Principal): Promise<Record<string, unknown>> {
  const user = (await knex('users').where('id', principal.userId).first()) as User;
  const teams: TeamRow[] = await knex('memberships')
    .join('teams', 'teams.id', 'memberships.team_id')
    .where('memberships.user_id', principal.userId)
    .orderBy('teams.id')
    .select(
      'teams.id',
      'teams.name',
      'teams.slug',
      'memberships.role',
      'teams.personal',
      knex.raw('teams.approved_at IS NOT NULL AS approved'),
    );
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    phone: user.phone,
    timezone: user.timezone,
    email_verified_at: user.email_verified_at,
    current_team_id: user.current_team_id,
    teams: teams.map(({ id, name, slug, role, personal }) => ({ id, name, slug, role, personal })),
    abilities: [...principal.abilities],
    capabilities: {
      can_bid: !principal.suspended && (principal.abilities.has('write') || principal.abilities.has('admin')),
      can_sell: !principal.suspended && teams.some((team) => team.approved),
      is_admin: principal.isAdmin,
    },
    verification_status: user.verification_status,
    created_at: user.created_at,
  };
}
