/** What a member's role in a team lets them do with its webhooks: secrets and deletions are for owners and admins. */
import type { Knex } from 'knex';
import { roleIn } from '../accounts/models/team-members.ts';
import { forbidden } from '../shared/refusal.ts';

export async function keepsSecrets(knex: Knex, teamId: number, userId: number): Promise<boolean> {
  const role = await roleIn(knex, teamId, userId);
  return role !== null && role !== 'member';
}

/** Throws 403 where the caller is a mere member. */
export async function requireKeeper(knex: Knex, teamId: number, userId: number): Promise<void> {
  if (!(await keepsSecrets(knex, teamId, userId))) {
    throw forbidden('Only owners and admins of the team may do this.');
  }
}
