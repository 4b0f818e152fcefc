/**
 * Inviting people into a team, and accepting. The token is random, kept as a hash, good for a week and for one acceptance by whoever
 * has the invited address; inviting an address again replaces the invitation before.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { forbidden, invalid, notFound } from '../../../adapters/http/problem.ts';
import { normalizeEmail } from '../people/accounts.ts';
import type { Role } from './team.model.ts';

const TOKEN_BYTES = 32;
const GOOD_FOR = "interval '7 days'";

/** What tokens look like: 32 random bytes in base64url. */
export const TOKEN_PATTERN = '^[A-Za-z0-9_-]{43}$';

export interface Invitation {
  readonly id: number;
  readonly team_id: number;
  readonly email: string;
  readonly role: Exclude<Role, 'owner'>;
  readonly expires_at: string;
  readonly created_at: string;
}

export interface NewInvitation {
  readonly email: string;
  readonly role: Invitation['role'];
}

/**
 * Invites an address; the token is in nobody's hands but the caller's. Throws 404 for teams that the caller is not in, 403 for mere
 * members and personal teams, 422 for an address that cannot be invited.
 */
export async function invite(
  knex: Knex,
  teamId: number,
  userId: number,
  { email: given, role }: NewInvitation,
): Promise<{ invitation: Invitation; token: string }> {
  await requireInviter(knex, teamId, userId);
  const email = normalizeEmail(given);
  if (email === null) throw invalid({ email: ['The email field must be an e-mail address.'] });
  const member = await knex('memberships as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.team_id': teamId, 'u.email': email })
    .first('m.id');
  if (member !== undefined) throw invalid({ email: ['This person is in the team already.'] });
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const { rows } = await knex.raw<{ rows: Invitation[] }>(
    `INSERT INTO team_invitations (team_id, invited_by, email, role, token_hash, expires_at)
     VALUES (?, ?, ?, ?, ?, now() + ${GOOD_FOR})
     ON CONFLICT (team_id, email) WHERE accepted_at IS NULL DO UPDATE SET invited_by = excluded.invited_by,
       role = excluded.role, token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = now()
     RETURNING id, team_id, email, role, expires_at, created_at`,
    [teamId, userId, email, role, hashOf(token)],
  );
  return { invitation: rows[0]!, token };
}

async function requireInviter(knex: Knex, teamId: number, userId: number): Promise<void> {
  const place = await knex('memberships as m')
    .join('teams as t', 't.id', 'm.team_id')
    .where({ 'm.team_id': teamId, 'm.user_id': userId })
    .first<{ role: Role; personal: boolean } | undefined>('m.role', 't.personal');
  if (place === undefined) throw notFound('There is no such team.');
  if (place.role === 'member') throw forbidden('Only owners and admins of the team may invite.');
  if (place.personal) throw forbidden('A personal team has no other members.');
}

export interface FoundInvitation extends Invitation {
  readonly team_name: string;
  readonly invited_by_name: string;
  readonly accepted_by: number | null;
  readonly open: boolean;
}

/** The invitation behind a token, or null; `open` tells whether it can still be accepted. */
export async function findInvitation(knex: Knex, token: string): Promise<FoundInvitation | null> {
  const row = await knex('team_invitations as i')
    .join('teams as t', 't.id', 'i.team_id')
    .join('users as u', 'u.id', 'i.invited_by')
    .where('i.token_hash', hashOf(token))
    .first<FoundInvitation | undefined>(
      'i.*',
      't.name as team_name',
      'u.name as invited_by_name',
      knex.raw('i.accepted_at IS NULL AND i.expires_at > now() AS open'),
    );
  return row ?? null;
}

/**
 * Makes the person a member; one who is in the team already keeps their role. False: the invitation is not for them, is over, or was
 * accepted before. Whoever calls announces the change of the account after it.
 */
export function acceptInvitation(
  knex: Knex,
  token: string,
  who: { readonly userId: number; readonly email: string },
): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const accepted: Invitation[] = await trx('team_invitations')
      .where({ token_hash: hashOf(token), email: who.email })
      .whereNull('accepted_at')
      .whereRaw('expires_at > now()')
      .update({ accepted_at: trx.fn.now(), accepted_by: who.userId })
      .returning(['team_id', 'role']);
    const [invitation] = accepted;
    if (invitation === undefined) return false;
    const { team_id, role } = invitation;
    await trx('memberships')
      .insert({ team_id, role, user_id: who.userId })
      .onConflict(['team_id', 'user_id'])
      .ignore();
    return true;
  });
}

/** Undoes an acceptance of a moment ago: the membership goes, and the invitation is open again. */
export function takeBackAcceptance(knex: Knex, token: string, userId: number): Promise<void> {
  return knex.transaction(async (trx) => {
    const [invitation]: { team_id: number }[] = await trx('team_invitations')
      .where({ token_hash: hashOf(token), accepted_by: userId })
      .update({ accepted_at: null, accepted_by: null })
      .returning('team_id');
    if (invitation === undefined) return;
    await trx('memberships')
      .where({ team_id: invitation.team_id, user_id: userId })
      .whereNot('role', 'owner')
      .delete();
  });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
