/** The caller's profile as `/me` shows it, and changing it. */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { Language } from '../../shared/language.ts';
import { teamsOf } from '../models/team-members.ts';
import { addressKnownAt, User } from '../models/user.model.ts';
import { requireUserById } from './accounts.ts';

/** Reads profile, teams and capabilities. The abilities are the token's. */
export async function readProfile(knex: Knex, principal: Principal): Promise<Record<string, unknown>> {
  const [user, teams] = await Promise.all([
    requireUserById(knex, principal.userId),
    teamsOf(knex, principal.userId).orderBy('teams.id'),
  ]);
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    phone: user.phone,
    timezone: user.timezone,
    language: user.language,
    email_verified_at: addressKnownAt(user),
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

export type ProfileChange = Pick<User, 'name' | 'phone' | 'timezone' | 'postal_address'>;

/** Writes a person's own profile. The caller announces the change after it. */
export async function changeProfile(knex: Knex, userId: number, change: ProfileChange): Promise<void> {
  await User.query(knex).findById(userId).patch(change);
}

/** Writes the language that somebody reads. The caller announces the change after it. */
export async function chooseLanguage(knex: Knex, userId: number, language: Language): Promise<void> {
  await User.query(knex).findById(userId).patch({ language });
}

/** Makes this the team that somebody acts for. The caller has checked their membership, and announces the change. */
export async function chooseTeam(knex: Knex, userId: number, teamId: number): Promise<void> {
  await User.query(knex).findById(userId).patch({ current_team_id: teamId });
}
