/** The caller's profile as `/me` shows it. */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { type Membership, Team } from '../records/team.model.ts';
import { requireUserById } from './accounts.ts';

/** Reads profile, teams and capabilities. The abilities are the token's. */
export async function readProfile(knex: Knex, principal: Principal): Promise<Record<string, unknown>> {
  const [user, teams] = await Promise.all([
    requireUserById(knex, principal.userId),
    Team.query(knex)
      .joinRelated('memberships')
      .where('memberships.user_id', principal.userId)
      .orderBy('teams.id')
      .select('teams.*', 'memberships.role')
      .castTo<(Team & Pick<Membership, 'role'>)[]>(),
  ]);
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
      can_sell: !principal.suspended && teams.some((team) => team.approved_at !== null),
      is_admin: principal.isAdmin,
    },
    verification_status: user.verification_status,
    created_at: user.created_at,
  };
}
