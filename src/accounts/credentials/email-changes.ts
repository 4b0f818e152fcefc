/**
 * Another address for an account. The password asks for it, the new mailbox confirms it in the account's own browser or
 * with its password, and the old one is told with a link that stops it, or takes it back for a week. What is answered
 * is the same whether the new address has an account or not; the mails say which.
 */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { conflictOf } from '../../../adapters/postgres/postgres-error.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { MailOptOut } from '../mail/mail.model.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { User } from '../models/user.model.ts';
import { normalizeEmail } from '../people/accounts.ts';
import { type HashClient, verifyPassword } from '../people/password.ts';
import { removeUnconfirmed } from '../people/replaced-accounts.ts';
import { hashOf } from './account-links.ts';
import { addressInUseMail, changeMadeMail, changeRequestedMail, newAddressMail } from './account-mails.ts';
import { AccountLink, EmailChange } from './credential.model.ts';
import { inEvenTime } from './even-time.ts';
import { endSessions } from './password-changes.ts';

export interface EmailChangeParts {
  readonly knex: Knex;
  readonly mail: MailOutbox;
}

/** Longer than a request takes to be recorded. */
const EVEN_MS = 200;
const GOOD_FOR = '24 hours';
/** A stranger's mailbox is not filled from here, and neither is one's own. */
const MAX_A_DAY = 5;
const DAY_S = 86_400;

/** A change that waits for the new address to confirm it. */
export interface PendingChange {
  readonly email: string;
  readonly requested_at: string;
  readonly expires_at: string;
}

/** The change that waits, or null. */
export async function readPendingChange(knex: Knex, userId: number): Promise<PendingChange | null> {
  const row = await pendingOf(knex, userId).orderBy('id', 'desc').first();
  if (row === undefined) return null;
  return { email: row.new_email, requested_at: row.created_at, expires_at: row.expires_at };
}

/** Takes back what waits. */
export async function withdrawChange(knex: Knex, userId: number): Promise<void> {
  await pendingOf(knex, userId).patch({ stopped_at: raw('now()') });
}

function pendingOf(knex: Knex, userId: number) {
  return EmailChange.query(knex)
    .where('user_id', userId)
    .whereNull('confirmed_at')
    .whereNull('stopped_at')
    .whereRaw('expires_at > now()');
}

/**
 * Asks for another address, in place of what was asked for before. The caller has checked the password. Throws 422 for
 * what is no address or theirs already, and 429 after a few a day.
 */
export async function requestEmailChange(
  { knex, mail }: EmailChangeParts,
  userId: number,
  address: string,
  baseUrl: string,
): Promise<PendingChange> {
  const email = normalizeEmail(address);
  if (email === null) throw invalid({ email: ['This is not an email address.'] });
  return inEvenTime(EVEN_MS, () =>
    knex.transaction(async (trx) => {
      const user = await User.query(trx).findById(userId).forUpdate().throwIfNotFound();
      if (user.email === email) throw invalid({ email: ['This is your address already.'] });
      await requireFew(trx, userId);
      await withdrawChange(trx, userId);
      const [confirm, stop] = [newToken(), newToken()];
      const row = await EmailChange.query(trx)
        .insert({
          user_id: userId,
          old_email: user.email,
          new_email: email,
          confirm_hash: hashOf(confirm),
          stop_hash: hashOf(stop),
          password_hash: user.password_hash,
          expires_at: raw('now() + ?::interval', GOOD_FOR),
        })
        .returning('*');
      const other = await User.query(trx).findOne({ email }).whereNotNull('email_confirmed_at');
      await mail.put(
        trx,
        changeRequestedMail(user, email, row.id, `${baseUrl}/email/stop/${stop}`),
        other === undefined
          ? newAddressMail({ email }, user.email, row.id, `${baseUrl}/email/confirm/${confirm}`)
          : addressInUseMail(other, Date.now()),
      );
      return { email, requested_at: row.created_at, expires_at: row.expires_at };
    }),
  );
}

async function requireFew(trx: Knex, userId: number): Promise<void> {
  const lately = await EmailChange.query(trx)
    .where('user_id', userId)
    .whereRaw("created_at > now() - interval '1 day'")
    .resultSize();
  if (lately < MAX_A_DAY) return;
  const message = `You may ask for another address ${MAX_A_DAY} times a day.`;
  throw new Refusal('rate_limited', { message, retryAfterS: DAY_S });
}

/** Who opens a link: somebody signed in to an account, or with a password. */
export interface ChangeOpener {
  readonly userId: number | null;
  /** Null: none was given. */
  readonly password: string | null;
  readonly client: HashClient;
}

/** The change that the new address may still confirm, or null. */
export async function findToConfirm(knex: Knex, token: string): Promise<EmailChange | null> {
  const row = await EmailChange.query(knex)
    .findOne({ confirm_hash: hashOf(token) })
    .whereNull('confirmed_at')
    .whereNull('stopped_at')
    .whereRaw('expires_at > now()');
  return row ?? null;
}

export type Confirmed = 'over' | 'password_needed' | 'wrong_password' | { readonly ids: readonly number[] };

/**
 * Gives the account its new address. All of its sessions end, links that were mailed to the old address are over, and
 * an account that was never confirmed makes room. `ids`: whose accounts changed, the change's own first.
 */
export async function confirmEmailChange(
  { knex, mail }: EmailChangeParts,
  token: string,
  opener: ChangeOpener,
  baseUrl: string,
): Promise<Confirmed> {
  const found = await findToConfirm(knex, token);
  if (found === null) return 'over';
  const user = await User.query(knex).findById(found.user_id).whereNull('suspended_at');
  if (user === undefined) return 'over';
  if (opener.userId !== user.id) {
    if (opener.password === null) return 'password_needed';
    if (!(await verifyPassword(opener.password, user.password_hash, opener.client))) return 'wrong_password';
  }
  const undo = newToken();
  try {
    return await knex.transaction(async (trx): Promise<Confirmed> => {
      const present = await User.query(trx).findById(user.id).forUpdate();
      const row = await findToConfirm(trx, token);
      if (row === null || present?.email !== row.old_email) return 'over';
      const other = await User.query(trx).findOne({ email: row.new_email });
      if (other !== undefined && !(await removeUnconfirmed(trx, other.id))) return 'over';
      await EmailChange.query(trx)
        .findById(row.id)
        .patch({ confirmed_at: raw('now()'), undo_hash: hashOf(undo) });
      await setAddress(trx, user.id, row.old_email, row.new_email);
      await mail.put(
        trx,
        changeMadeMail({ email: row.old_email }, row.new_email, row.id, `${baseUrl}/email/stop/${undo}`),
      );
      return { ids: other === undefined ? [user.id] : [user.id, other.id] };
    });
  } catch (error) {
    // Somebody else has confirmed the address at the same moment.
    if (conflictOf(error) === 'faster') return 'over';
    throw error;
  }
}

/** The address itself, and what goes with it: what was mailed to the old one no longer counts, who wants no mail. */
export async function setAddress(trx: Knex, userId: number, from: string, to: string): Promise<void> {
  await User.query(trx)
    .findById(userId)
    .patch({ email: to, email_confirmed_at: raw('now()'), email_verified_at: raw('now()') });
  await endSessions(trx, [userId]);
  await AccountLink.query(trx)
    .where('user_id', userId)
    .whereNull('used_at')
    .patch({ used_at: raw('now()') });
  if ((await MailOptOut.query(trx).findById(from)) !== undefined)
    await MailOptOut.query(trx).insert({ email: to }).onConflict('email').ignore();
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}
