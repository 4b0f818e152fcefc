/** What a member's role in a team lets them do with its webhooks: secrets and deletions are for owners and admins. */
import type { Knex } from 'knex';
import type { Role } from '../accounts/records/team.model.ts';
import { forbidden } from '../shared/refusal.ts';

export async function keepsSecrets(knex: Knex, teamId: number, userId: number): Promise<boolean> {
  const row = await knex('memberships')
    .where({ team_id: teamId, user_id: userId })
    .first<{ role: Role }>('role');
  return row !== undefined && row.role !== 'member';
}

/** Throws 403 where the caller is a mere member. */
export async function requireKeeper(knex: Knex, teamId: number, userId: number): Promise<void> {
  if (!(await keepsSecrets(knex, teamId, userId))) {
    throw forbidden('Only owners and admins of the team may do this.');
  }
}
