/**
 * Setting passwords: by the owner who knows the old one, by a link that was mailed, by staff. Each ends sessions, so
 * that anyone who got in with the old password is signed out; sessions of an earlier generation are refused everywhere
 * within a second.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { InputError } from '../../shared/input-error.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { User } from '../models/user.model.ts';
import { findUser, requireUserById } from '../people/accounts.ts';
import { type HashClient, hashPassword, isPasswordLength, verifyPassword } from '../people/password.ts';
import { replaceUnconfirmed } from '../people/replaced-accounts.ts';
import { Token } from '../tokens/token.model.ts';
import { findLink, issueLink, useLink } from './account-links.ts';
import { changedMail, resetMail } from './account-mails.ts';

export interface PasswordParts {
  readonly knex: Knex;
  readonly mail: MailOutbox;
}

/** Mails a link for a new password where the address has an account; the answer is the same either way. */
export async function requestReset(
  { knex, mail }: PasswordParts,
  email: string,
  baseUrl: string,
): Promise<number | null> {
  const user = await findUser(knex, email);
  if (user === null) return null;
  await knex.transaction(async (trx) => {
    const link = await issueLink(trx, user.id, 'reset');
    if (link !== null)
      await mail.put(trx, resetMail(user, link.id, `${baseUrl}/password/reset/${link.token}`));
  });
  return user.id;
}

export interface NewPassword {
  readonly password: string;
  readonly baseUrl: string;
}

/**
 * Sets the password of the account whose link it is; all of its sessions and tokens end. Null where the link is used or
 * over. Throws `InputError` for a password that is too short or long, with the link still good.
 */
export async function resetPassword(
  { knex, mail }: PasswordParts,
  token: string,
  { password, baseUrl }: NewPassword,
): Promise<number | null> {
  requireLength(password);
  // Before the work: a wrong link costs no hash. The holder of a valid link is no stranger, and does not queue with
  // strangers.
  const owner = await findLink(knex, token, 'reset');
  if (owner === null) return null;
  const hash = await hashPassword(password, { known: true, group: `reset ${owner}`, caller: 'link' });
  return knex.transaction(async (trx) => {
    const userId = await useLink(trx, token, 'reset');
    if (userId === null) return null;
    // What was set up in an account that was never confirmed may be a stranger's.
    const { name } = await requireUserById(trx, userId);
    const made = await replaceUnconfirmed(trx, userId, { name, passwordHash: hash });
    if (made !== null) return made;
    await setHash(trx, userId, hash);
    await endTokens(trx, userId);
    await mailChange(trx, mail, userId, baseUrl);
    return userId;
  });
}

export interface OwnChange extends NewPassword {
  readonly userId: number;
  readonly current: string;
  readonly endTokens: boolean;
  readonly client: HashClient;
}

/** Sets the caller's own password; all sessions end, this one too. False where the current one is wrong. */
export async function changePassword({ knex, mail }: PasswordParts, change: OwnChange): Promise<boolean> {
  requireLength(change.password);
  const user = await User.query(knex).findById(change.userId);
  if (!(await verifyPassword(change.current, user?.password_hash ?? null, change.client))) return false;
  const hash = await hashPassword(change.password, change.client);
  await knex.transaction(async (trx) => {
    await setHash(trx, change.userId, hash);
    if (change.endTokens) await endTokens(trx, change.userId);
    await mailChange(trx, mail, change.userId, change.baseUrl);
  });
  return true;
}

/** Ends every session of a user, on every process within a second. */
export async function endSessions(trx: Knex, userIds: readonly number[]): Promise<void> {
  await User.query(trx)
    .whereRaw('id = any(?::bigint[])', [[...userIds]])
    .increment('session_generation', 1);
}

async function setHash(trx: Knex, userId: number, hash: string): Promise<void> {
  await User.query(trx).findById(userId).patch({ password_hash: hash });
  await endSessions(trx, [userId]);
}

/** Revokes every token of a user. */
export async function endTokens(trx: Knex, userId: number): Promise<void> {
  await Token.query(trx)
    .where('user_id', userId)
    .whereNull('revoked_at')
    .patch({ revoked_at: raw('now()') });
}

async function mailChange(trx: Knex, mail: MailOutbox, userId: number, baseUrl: string): Promise<void> {
  const user = await requireUserById(trx, userId);
  const key = `password-changed-${userId}-${user.session_generation}`;
  await mail.put(trx, changedMail(user, key, 'Your password was changed.', `${baseUrl}/password/forgot`));
}

function requireLength(password: string): void {
  if (!isPasswordLength(password)) throw new InputError('password: must have 8 to 128 characters');
}
