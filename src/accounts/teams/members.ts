/**
 * Who is in a team and as what, and how they leave it: removed by an owner or admin, or by their own word. Invitations
 * that nobody has accepted are taken back here too.
 */
import type { Knex } from 'knex';
import { INVITATION_POLICY } from '../../shared/policy/invitation-policy.ts';
import { MEMBERSHIP_POLICY } from '../../shared/policy/membership-policy.ts';
import { TEAM_POLICY } from '../../shared/policy/team-policy.ts';
import { notFound } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Membership, personalTeamId, type Role, TeamInvitation } from '../models/team.model.ts';
import { User } from '../models/user.model.ts';
import { requireRole } from './team-roles.ts';

const NO_REMOVAL = 'The owner of a team cannot be removed.';

/**
 * Removes a member from a team; if they acted in its context, they fall back to their own team. The caller announces
 * the change of the account after it. Throws 404 for a team that the caller is not in, or that the person is not in,
 * and 403 for an owner, and for a member who removes somebody else.
 */
export function removeMember(knex: Knex, teamId: number, userId: number, byUserId: number): Promise<void> {
  return inTransaction(knex, async (trx) => {
    const own = await ownRole(trx, teamId, byUserId);
    const role = await roleOf(trx, teamId, userId);
    if (role === null) throw notFound('There is no such member of the team.');
    const otherwise = NO_REMOVAL;
    if (userId === byUserId) requireRole(TEAM_POLICY, 'leave', 'shared', own, { what: 'leave', otherwise });
    else requireRole(MEMBERSHIP_POLICY, 'remove', role, own, { what: 'remove somebody else', otherwise });
    await Membership.query(trx).where({ team_id: teamId, user_id: userId }).delete();
    // SQL: an insert that renews what is there.
    await trx('left_memberships')
      .insert({ team_id: teamId, user_id: userId, left_at: trx.fn.now() })
      .onConflict(['user_id', 'team_id'])
      .merge(['left_at']);
    await User.query(trx)
      .where({ id: userId, current_team_id: teamId })
      .patch({ current_team_id: personalTeamId() });
  });
}

/**
 * Makes a member an admin, or an admin a member; the owner stays the owner. Throws 404 and 403 as `removeMember` does,
 * and 403 for a caller who is a mere member.
 */
export function changeRole(
  knex: Knex,
  teamId: number,
  userId: number,
  to: Exclude<Role, 'owner'>,
  byUserId: number,
): Promise<void> {
  return inTransaction(knex, async (trx) => {
    const own = await ownRole(trx, teamId, byUserId);
    const role = await roleOf(trx, teamId, userId);
    if (role === null) throw notFound('There is no such member of the team.');
    const words = { what: 'change a role', otherwise: 'The owner of a team keeps their role.' };
    requireRole(MEMBERSHIP_POLICY, 'change_role', role, own, words);
    await Membership.query(trx).where({ team_id: teamId, user_id: userId }).patch({ role: to });
  });
}

/** Takes an invitation back. Throws 403 for mere members, 404 where there is no open one. */
export function withdrawInvitation(
  knex: Knex,
  teamId: number,
  invitationId: number,
  byUserId: number,
): Promise<void> {
  return inTransaction(knex, async (trx) => {
    const own = await ownRole(trx, teamId, byUserId);
    requireRole(INVITATION_POLICY, 'withdraw', 'open', own, { what: 'withdraw an invitation' });
    const gone = await TeamInvitation.query(trx)
      .where({ id: invitationId, team_id: teamId })
      .whereNull('accepted_at')
      .delete();
    if (gone === 0) throw notFound('There is no such open invitation.');
  });
}

async function ownRole(trx: Knex, teamId: number, userId: number): Promise<Role> {
  const role = await roleOf(trx, teamId, userId);
  if (role === null) throw notFound('There is no such team.');
  return role;
}

async function roleOf(trx: Knex, teamId: number, userId: number): Promise<Role | null> {
  const row = await Membership.query(trx).findOne({ team_id: teamId, user_id: userId }).forUpdate();
  return row?.role ?? null;
}
