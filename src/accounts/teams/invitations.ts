/**
 * Inviting people into a team, and accepting. The token is random, kept as a hash, good for a week and for one
 * acceptance by the owner of the invited address; inviting an address again replaces the earlier invitation.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { invalid } from '../../shared/refusal.ts';
import { type Letter, letter } from '../mail/letter.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { Membership, type Team, TeamInvitation } from '../models/team.model.ts';
import { normalizeEmail } from '../people/accounts.ts';
import { countInvite, takeMail } from './invite-bounds.ts';
import { requirePlanRoom } from './plan-limits.ts';
import { requireUnlocked } from './team-context.ts';
import { keptTeam } from './team-roles.ts';

const TOKEN_BYTES = 32;
const GOOD_FOR = "interval '7 days'";

/** What tokens look like: 32 random bytes in base64url. */
export const TOKEN_PATTERN = '^[A-Za-z0-9_-]{43}$';

export type Invitation = Pick<
  TeamInvitation,
  'id' | 'team_id' | 'email' | 'role' | 'expires_at' | 'created_at'
>;

export interface NewInvitation {
  readonly email: string;
  readonly role: Invitation['role'];
}

export interface InvitingParts {
  readonly knex: Knex;
  readonly mail: MailOutbox;
  /** What the link in the mail begins with. */
  readonly baseUrl: string;
}

export interface MadeInvitation {
  readonly invitation: Invitation;
  readonly token: string;
  /** Where the invited person accepts. */
  readonly url: string;
}

/**
 * Invites an address and mails it the link. Throws 404 for teams that the caller is not in, 403 for mere members,
 * personal teams and a missing second factor, 422 for an address that cannot be invited, or after fifty in a day. An
 * approved team's invitation is mailed, one a day to an address; the link is the answer's too.
 */
export async function invite(
  { knex, mail, baseUrl }: InvitingParts,
  teamId: number,
  who: Pick<Principal, 'userId' | 'name' | 'lockedTeamIds'>,
  { email: address, role }: NewInvitation,
): Promise<MadeInvitation> {
  const { userId } = who;
  const team = await requireInviter(knex, teamId, userId);
  requireUnlocked(who, teamId);
  const email = normalizeEmail(address);
  if (email === null) throw invalid({ email: ['The email field must be an email address.'] });
  const member = await Membership.query(knex)
    .joinRelated('user')
    .findOne({ 'memberships.team_id': teamId, 'user.email': email });
  if (member !== undefined) throw invalid({ email: ['This person is already in the team.'] });
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const url = `${baseUrl}/invitations/${token}`;
  return knex.transaction(async (trx) => {
    await requirePlanRoom(trx, teamId, 'members', 1);
    const inviteId = await countInvite(trx, { teamId, email, by: userId, auctionId: null });
    const invitation = await writeInvitation(trx, teamId, userId, { email, role }, token);
    if (await takeMail(trx, inviteId)) {
      const words = { team: team.name, by: who.name, url, role };
      const about = { kind: 'notification', about: 'invitation' } as const;
      await mail.put(trx, {
        eventKey: `invite-${inviteId}`,
        to: email,
        ...about,
        ...invitationLetter(words),
      });
    }
    return { invitation, token, url };
  });
}

interface InvitationWords {
  readonly team: string;
  readonly by: string;
  readonly role: string;
  readonly url: string;
}

function invitationLetter({ team, by, role, url }: InvitationWords): Letter {
  return letter({
    subject: 'You are invited to join a team',
    paragraphs: [
      `Somebody who sells here has invited this address to join their team, as ${role}.`,
      'The invitation is only for this address and is valid for seven days.',
      `The team is called: ${team}. Who invites is called: ${by}.`,
    ],
    link: { label: 'View the invitation', url },
    closing: ['If you do not know them, you can ignore this email.'],
  });
}

async function writeInvitation(
  trx: Knex,
  teamId: number,
  userId: number,
  { email, role }: NewInvitation,
  token: string,
): Promise<Invitation> {
  const columns = {
    invited_by: userId,
    role,
    token_hash: hashOf(token),
    expires_at: raw(`now() + ${GOOD_FOR}`),
    created_at: raw('now()'),
  };
  return TeamInvitation.query(trx)
    .insert({ team_id: teamId, email, ...columns })
    .onConflict(raw('(team_id, email) WHERE accepted_at IS NULL'))
    .merge(columns)
    .returning('*');
}

function requireInviter(knex: Knex, teamId: number, userId: number): Promise<Team> {
  return keptTeam(knex, teamId, userId, 'invite', 'invite');
}

export interface FoundInvitation extends Invitation {
  readonly team_name: string;
  readonly invited_by_name: string;
  readonly accepted_by: number | null;
  readonly open: boolean;
}

/** The invitation behind a token, or null; `open` says whether it can still be accepted. */
export async function findInvitation(knex: Knex, token: string): Promise<FoundInvitation | null> {
  const row = await TeamInvitation.query(knex)
    .joinRelated('[team, inviter]')
    .findOne('token_hash', hashOf(token))
    .select(
      'team_invitations.*',
      'team.name as team_name',
      'inviter.name as invited_by_name',
      raw('accepted_at IS NULL AND expires_at > now() AS open'),
    )
    .castTo<FoundInvitation | undefined>();
  return row ?? null;
}

/** The invitations of a team that nobody has accepted, with whether their time is over. */
export function openInvitations(knex: Knex, teamId: number) {
  return TeamInvitation.query(knex)
    .where('team_id', teamId)
    .whereNull('accepted_at')
    .orderBy('id')
    .select('id', 'email', 'role', 'expires_at', raw('expires_at < now() AS is_over'))
    .castTo<(Invitation & { readonly is_over: boolean })[]>();
}

/**
 * Makes the person a member; one who is in the team already keeps their role. False: the invitation is not for them, is
 * over, or was accepted before. The caller announces the change of the account after it.
 */
export function acceptInvitation(
  knex: Knex,
  token: string,
  who: { readonly userId: number; readonly email: string },
): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const [invitation] = await TeamInvitation.query(trx)
      .where({ token_hash: hashOf(token), email: who.email })
      .whereNull('accepted_at')
      .whereRaw('expires_at > now()')
      .patch({ accepted_at: raw('now()'), accepted_by: who.userId })
      .returning(['team_id', 'role']);
    if (invitation === undefined) return false;
    const { team_id, role } = invitation;
    const there = await Membership.query(trx).findOne({ team_id, user_id: who.userId });
    if (there === undefined) await requirePlanRoom(trx, team_id, 'members', 1);
    await Membership.query(trx)
      .insert({ team_id, role, user_id: who.userId })
      .onConflict(['team_id', 'user_id'])
      .ignore();
    return true;
  });
}

/** Undoes an acceptance of a moment ago: the membership goes, and the invitation is open again. */
export function takeBackAcceptance(knex: Knex, token: string, userId: number): Promise<void> {
  return knex.transaction(async (trx) => {
    const [invitation] = await TeamInvitation.query(trx)
      .where({ token_hash: hashOf(token), accepted_by: userId })
      .patch({ accepted_at: null, accepted_by: null })
      .returning('team_id');
    if (invitation === undefined) return;
    await Membership.query(trx)
      .where({ team_id: invitation.team_id, user_id: userId })
      .whereNot('role', 'owner')
      .delete();
  });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
