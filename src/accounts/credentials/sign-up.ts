/**
 * Signing up and confirming an address. Signing up reveals nothing about who has an account: a free and a taken address
 * get the same answer after the same time, and the mail explains the rest. Where mail is off, accounts work at once.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { InputError } from '../../shared/input-error.ts';
import type { Language } from '../../shared/language.ts';
import { recordActivity } from '../activity/activity.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { User } from '../models/user.model.ts';
import { checkNewUser, insertUsers, type NewUser } from '../people/accounts.ts';
import { type HashClient, hashPassword, verifyPassword } from '../people/password.ts';
import { replaceUnconfirmed } from '../people/replaced-accounts.ts';
import { findGoodLink, hashOf, issueLink, useLink } from './account-links.ts';
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
  /** What the person's browser likes. */
  readonly language: Language;
  /** For links; never from a header in production. */
  readonly baseUrl: string;
  readonly client: HashClient;
  readonly ip: string;
  /** What the browser keeps: the link that is opened there needs no password. */
  readonly browser: string;
  /** The query of the mailed address: where it leads on to. */
  readonly onward?: string;
}

/**
 * The new account's id, or null where the address was taken. Throws `InputError` for what no account could be made
 * of.
 */
export async function signUp(
  { knex, mail }: SignUpParts,
  { input, baseUrl, client, ip, browser, language, onward = '' }: SignUpRequest,
): Promise<number | null> {
  const { email, name } = checkNewUser(input);
  const passwordHash = await hashPassword(input.password, client);
  const writeDown = async (trx: Knex) => {
    const columns = { email, name, password_hash: passwordHash, is_admin: false };
    const [made] = await insertUsers(trx, [
      {
        ...columns,
        language: language === 'en' ? null : language,
        email_confirmed_at: mail.enabled ? null : raw('now()'),
      },
    ]);
    if (made !== undefined) {
      const signedUp = { browser_hash: hashOf(browser) };
      await sendConfirmation(trx, mail, made, { baseUrl, signedUp, onward });
      await recordActivity(trx, { action: 'sign_up', via: 'page', userId: made.id, ip });
      return made.id;
    }
    const owner = await User.query(trx).findOne({ email });
    if (owner && owner.email_confirmed_at === null && mail.enabled) {
      // Whoever has the mailbox may take the place of whoever signed up first.
      const signedUp = { browser_hash: hashOf(browser), password_hash: passwordHash, name };
      await sendConfirmation(trx, mail, owner, { baseUrl, signedUp, onward });
    } else if (owner) {
      const [signIn, forgot] = [`${baseUrl}/sign-in${onward}`, `${baseUrl}/password/forgot`];
      await mail.put(trx, takenMail(owner, signIn, forgot, Date.now()));
    }
    return null;
  };
  return inEvenTime(EVEN_MS, () => knex.transaction(writeDown));
}

/** What a confirmation's link says besides whose it is. */
interface ConfirmationLink {
  /** What it begins with. */
  readonly baseUrl: string;
  /** What a sign-up leaves with it; none for an account that somebody is signed in to. */
  readonly signedUp?: Parameters<typeof issueLink>[3];
  readonly onward?: string;
}

/** Mails a link that confirms an account's address. False where it has had enough of them lately. */
export async function sendConfirmation(
  trx: Knex,
  mail: MailOutbox,
  user: Pick<User, 'id' | 'email'>,
  { baseUrl, signedUp = {}, onward = '' }: ConfirmationLink,
): Promise<boolean> {
  const link = await issueLink(trx, user.id, 'confirm', signedUp);
  if (link === null) return false;
  await mail.put(trx, confirmMail(user, link.id, `${baseUrl}/confirm/${link.token}${onward}`));
  return true;
}

/** Who opens a link: in the browser of the sign-up, signed in to the account, or with the password that was chosen. */
export interface LinkOpener {
  /** What the browser keeps of a sign-up; null: nothing. */
  readonly browser: string | null;
  readonly userId: number | null;
  /** Null: none was given. */
  readonly password: string | null;
  readonly client: HashClient;
}

/** `ids`: the account, and the one whose place it took. */
export type Confirmation =
  | { readonly kind: 'over' }
  | { readonly kind: 'password_needed' }
  | { readonly kind: 'wrong_password' }
  | { readonly kind: 'confirmed'; readonly userId: number; readonly ids: readonly number[] };

/**
 * Confirms the address of the account whose link it is; nobody is signed in by it. A link that is opened by anybody
 * else than who asked for it needs the password that was chosen then. Announce the change after it.
 */
export async function confirmAddress(knex: Knex, token: string, opener: LinkOpener): Promise<Confirmation> {
  const link = await findGoodLink(knex, token, 'confirm');
  if (link === undefined) return { kind: 'over' };
  const { user_id: userId, browser_hash: browserHash, password_hash: chosen, name } = link;
  const isOwn = opener.browser !== null && browserHash === hashOf(opener.browser);
  if (!isOwn && (opener.userId !== userId || chosen !== null)) {
    if (opener.password === null) return { kind: 'password_needed' };
    const user = await User.query(knex).findById(userId);
    if (!(await verifyPassword(opener.password, chosen ?? user?.password_hash ?? null, opener.client)))
      return { kind: 'wrong_password' };
  }
  return knex.transaction(async (trx): Promise<Confirmation> => {
    if ((await useLink(trx, token, 'confirm')) === null) return { kind: 'over' };
    if (chosen === null) {
      await markConfirmed(trx, userId);
      return { kind: 'confirmed', userId, ids: [userId] };
    }
    const made = await replaceUnconfirmed(trx, userId, { name: name ?? '', passwordHash: chosen });
    return made === null ? { kind: 'over' } : { kind: 'confirmed', userId: made, ids: [userId, made] };
  });
}

/** Notes that an address is its account's: it got a mail there. */
async function markConfirmed(trx: Knex, userId: number): Promise<void> {
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
