/**
 * Signing up and confirming an address. Signing up reveals nothing about who has an account: a free and a taken address
 * get the same answer after the same time, and the mail explains the rest. Where mail is off, accounts work at once.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { InputError } from '../../shared/input-error.ts';
import { recordActivity } from '../activity/activity.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { User } from '../models/user.model.ts';
import { checkNewUser, insertUsers, type NewUser } from '../people/accounts.ts';
import { type HashClient, hashPassword } from '../people/password.ts';
import { issueLink, useLink } from './account-links.ts';
import { confirmMail, takenMail } from './account-mails.ts';
import { inEvenTime } from './even-time.ts';

/** Longer than an account takes to be recorded. */
const EVEN_MS = 150;

export interface SignUpParts {
  readonly knex: Knex;
  readonly mail: MailOutbox;
}

export interface SignUpRequest {
  readonly input: NewUser & { readonly password: string };
  /** For links; never from a header in production. */
  readonly baseUrl: string;
  readonly client: HashClient;
  readonly ip: string;
}

/**
 * The new account's id, or null where the address was taken. Throws `InputError` for what no account could be made
 * of.
 */
export async function signUp(
  { knex, mail }: SignUpParts,
  { input, baseUrl, client, ip }: SignUpRequest,
): Promise<number | null> {
  const { email, name } = checkNewUser(input);
  const passwordHash = await hashPassword(input.password, client);
  const writeDown = async (trx: Knex) => {
    const columns = { email, name, password_hash: passwordHash, is_admin: false };
    const [made] = await insertUsers(trx, [
      { ...columns, email_confirmed_at: mail.enabled ? null : raw('now()') },
    ]);
    if (made !== undefined) {
      await sendConfirmation(trx, mail, made, baseUrl);
      await recordActivity(trx, { action: 'sign_up', via: 'page', userId: made.id, ip });
      return made.id;
    }
    const owner = await User.query(trx).findOne({ email });
    if (owner) {
      const [signIn, forgot] = [`${baseUrl}/sign-in`, `${baseUrl}/password/forgot`];
      await mail.put(trx, takenMail(owner, signIn, forgot, Date.now()));
    }
    return null;
  };
  return inEvenTime(EVEN_MS, () => knex.transaction(writeDown));
}

/** Mails a link that confirms an account's address. False where it has had enough of them lately. */
export async function sendConfirmation(
  trx: Knex,
  mail: MailOutbox,
  user: Pick<User, 'id' | 'email'>,
  baseUrl: string,
): Promise<boolean> {
  const link = await issueLink(trx, user.id, 'confirm');
  if (link === null) return false;
  await mail.put(trx, confirmMail(user, link.id, `${baseUrl}/confirm/${link.token}`));
  return true;
}

/**
 * Confirms the address of the account whose link it is. Null where the link is used or over; announce the change
 * after it.
 */
export async function confirmAddress(knex: Knex, token: string): Promise<number | null> {
  return knex.transaction(async (trx) => {
    const userId = await useLink(trx, token, 'confirm');
    if (userId !== null) await markConfirmed(trx, userId);
    return userId;
  });
}

/** Notes that an address is its account's: it got a mail there. */
export async function markConfirmed(trx: Knex, userId: number): Promise<void> {
  await User.query(trx)
    .findById(userId)
    .patch({
      email_confirmed_at: raw('coalesce(email_confirmed_at, now())'),
      email_verified_at: raw('coalesce(email_verified_at, now())'),
    });
}

/** A sentence for people about why no account could be made. */
export function signUpMessage({ message }: InputError): string {
  if (message.startsWith('password')) return 'The password must have 8 to 128 characters.';
  if (message.startsWith('name')) return 'The name must have 1 to 200 characters.';
  return 'This is not an email address.';
}
