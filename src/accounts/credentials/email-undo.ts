/**
 * What the old address of an account can do about a change to another one: stop it while it waits, and take the address
 * back in the week after. Taking it back asks for the password of the time when the change was requested, and leaves
 * nothing of what was set up since: sessions, tokens, the password, passkeys, links and a second factor.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { conflictOf } from '../../../adapters/postgres/postgres-error.ts';
import { User } from '../models/user.model.ts';
import { type HashClient, verifyPassword } from '../people/password.ts';
import { removeUnconfirmed } from '../people/replaced-accounts.ts';
import { hashOf, issueLink } from './account-links.ts';
import { resetMail } from './account-mails.ts';
import { EmailChange, Passkey, TwoFactor } from './credential.model.ts';
import { type EmailChangeParts, setAddress } from './email-changes.ts';
import { endTokens } from './password-changes.ts';
import { disableTwoFactor, dropIdleRecoveryCodes } from './two-factor.ts';

const TAKEN_BACK_FOR = '7 days';

/** The change that the old address may still stop or take back, or null. */
export async function findToStop(knex: Knex, token: string): Promise<EmailChange | null> {
  const hash = hashOf(token);
  const row = await EmailChange.query(knex)
    .where((own) => own.where('stop_hash', hash).orWhere('undo_hash', hash))
    .whereNull('stopped_at')
    // SQL: two periods, whichever fits.
    .whereRaw(
      `CASE WHEN confirmed_at IS NULL THEN expires_at > now() ELSE confirmed_at > now() - ?::interval END`,
      [TAKEN_BACK_FOR],
    )
    .first();
  return row ?? null;
}

export interface StoppedBy {
  /** Null: none was given. */
  readonly password: string | null;
  readonly client: HashClient;
}

export type Stopped =
  | { readonly kind: 'over' | 'password_needed' | 'wrong_password' }
  | { readonly kind: 'stopped' | 'taken_back'; readonly userId: number };

/** Stops a change that waits; takes the address back where it was made. */
export async function stopEmailChange(
  parts: EmailChangeParts,
  token: string,
  { password, client }: StoppedBy,
  baseUrl: string,
): Promise<Stopped> {
  const { knex } = parts;
  const found = await findToStop(knex, token);
  if (found === null) return { kind: 'over' };
  if (found.confirmed_at === null) {
    const stopped = await EmailChange.query(knex)
      .findById(found.id)
      .whereNull('confirmed_at')
      .whereNull('stopped_at')
      .patch({ stopped_at: raw('now()') });
    // It was confirmed at this moment: the link takes it back from now on.
    return stopped === 0 ? { kind: 'password_needed' } : { kind: 'stopped', userId: found.user_id };
  }
  if (password === null) return { kind: 'password_needed' };
  if (!(await verifyPassword(password, found.password_hash, client))) return { kind: 'wrong_password' };
  try {
    return await knex.transaction((trx) => takeBack(trx, parts, token, baseUrl));
  } catch (error) {
    if (conflictOf(error) === 'faster') return { kind: 'over' };
    throw error;
  }
}

async function takeBack(
  trx: Knex.Transaction,
  { mail }: EmailChangeParts,
  token: string,
  baseUrl: string,
): Promise<Stopped> {
  const before = await findToStop(trx, token);
  if (before === null) return { kind: 'over' };
  const user = await User.query(trx).findById(before.user_id).forUpdate();
  const row = await findToStop(trx, token);
  if (row === null || user?.email !== row.new_email) return { kind: 'over' };
  const other = await User.query(trx).findOne({ email: row.old_email });
  if (other !== undefined && !(await removeUnconfirmed(trx, other.id))) return { kind: 'over' };
  await EmailChange.query(trx)
    .where('user_id', user.id)
    .whereNull('stopped_at')
    .patch({ stopped_at: raw('now()') });
  await setAddress(trx, user.id, row.new_email, row.old_email);
  await leaveNothingSince(trx, user.id, row.created_at);
  const link = await issueLink(trx, user.id, 'reset');
  const url = `${baseUrl}/password/reset/${link?.token}`;
  if (link !== null) await mail.put(trx, resetMail({ ...user, email: row.old_email }, link.id, url));
  return { kind: 'taken_back', userId: user.id };
}

async function leaveNothingSince(trx: Knex.Transaction, userId: number, since: string): Promise<void> {
  await User.query(trx).findById(userId).patch({ password_hash: null });
  await endTokens(trx, userId);
  const factor = await TwoFactor.query(trx).findById(userId).where('enabled_at', '>=', since);
  await Passkey.query(trx).where('user_id', userId).where('created_at', '>=', since).delete();
  // SQL: a table of the teams, which stand above this folder.
  await trx('team_identities').where('user_id', userId).where('linked_at', '>=', since).delete();
  if (factor !== undefined) await disableTwoFactor(trx, userId);
  else await dropIdleRecoveryCodes(trx, userId);
}
