/**
 * Accounts: making, verifying and suspending people. The command line, sign-up and the import call these; each runs in
 * the transaction it is given and notifies no other process by itself (`tokens/account-changes.ts` does).
 */
import type { Knex } from 'knex';
import { type RawBuilder, raw } from 'objection';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import type { Language } from '../../shared/language.ts';
import { Membership, personalTeamId, Team } from '../models/team.model.ts';
import { User, VerificationCheck } from '../models/user.model.ts';
import { hashPassword, isPasswordLength } from './password.ts';

/** What HTML's email field takes, with a dot in the domain or not. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

export interface NewUser {
  readonly email: string;
  /** The part of the address before the `@` when not given. */
  readonly name?: string | undefined;
  readonly password?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly verified?: boolean | undefined;
}

/** The address in lower case without surrounding blanks, or null when it is none. */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : null;
}

/** What somebody is called who gave no name: the part before the `@`. */
export function nameFromEmail(email: string): string {
  return (email.split('@')[0] ?? email).slice(0, 200);
}

/** What these people are called, by their ids. */
export async function namesOfUsers(knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await User.query(knex)
    .findByIds([...new Set(ids)])
    .select('id', 'name');
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Makes an account with its personal team, which is the team it works in at first. Throws `InputError` for a bad
 * address or password and for an address that has an account already.
 */
export async function createUser(knex: Knex, input: NewUser): Promise<User> {
  const { email, name } = checkNewUser(input);
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  return knex.transaction(async (trx) => {
    const [row] = await insertUsers(trx, [
      { email, name, password_hash: passwordHash, is_admin: input.admin ?? false },
    ]);
    if (!row) throw new InputError(`email: ${email} has an account already`);
    if (input.verified) return verifyUser(trx, email);
    return row;
  });
}

/** Address and name as they are kept. Throws `InputError` for what no account can be made of. */
export function checkNewUser(input: NewUser): { readonly email: string; readonly name: string } {
  const email = normalizeEmail(input.email);
  if (email === null) throw new InputError(`email: "${input.email}" is not an email address`);
  const name = (input.name ?? nameFromEmail(email)).trim();
  if (name.length < 1 || name.length > 200) throw new InputError('name: must have 1 to 200 characters');
  if (input.password !== undefined && !isPasswordLength(input.password)) {
    throw new InputError('password: must have 8 to 128 characters');
  }
  return { email, name };
}

export interface InsertedUser extends Pick<User, 'email' | 'name' | 'password_hash' | 'is_admin'> {
  /** Only where it was given out before. */
  readonly id?: number;
  /** Null: the address is still to be confirmed. Without it, it counts as confirmed. */
  readonly email_confirmed_at?: RawBuilder | null;
  /** What their browser likes; without it English. */
  readonly language?: Language | null;
}

/** Inserts people and their personal teams. Those whose address is taken are left out of the answer. */
export async function insertUsers(trx: Knex, users: readonly InsertedUser[]): Promise<User[]> {
  if (users.length === 0) return [];
  // As Knex has it: Objection's answer would hold those that were left out, too.
  const written = await User.query(trx)
    .insert([...users])
    .onConflict('email')
    .ignore()
    .returning(['id', 'name'])
    .toKnexQuery();
  if (written.length === 0) return [];
  const teams = await Team.query(trx).insert(
    written.map(({ id, name }) => ({ name, slug: `user-${id}`, personal_user_id: id })),
  );
  await Membership.query(trx).insert(
    teams.map((team, index) => ({ team_id: team.id, user_id: written[index]?.id, role: 'owner' as const })),
  );
  const ids = written.map(({ id }) => id);
  return User.query(trx).findByIds(ids).patch({ current_team_id: personalTeamId() }).returning('*');
}

/** The person with this address, or null. */
export async function findUser(knex: Knex, email: string): Promise<User | null> {
  return (await User.query(knex).findOne({ email: normalizeEmail(email) ?? '' })) ?? null;
}

/** As `findUser`; throws an `InputError` that names the argument when nobody has this address. */
export async function requireUser(knex: Knex, email: string, argument = 'email'): Promise<User> {
  const user = await findUser(knex, email);
  if (!user) throw new InputError(`${argument}: there is no user with the address "${email}"`);
  return user;
}

/** Whom an id names that was read before, which nobody deletes. */
export function requireUserById(knex: Knex, id: number) {
  return User.query(knex).findById(id).throwIfNotFound();
}

/** Marks a person and all of their checks verified. Doing it twice changes nothing. */
export async function verifyUser(knex: Knex, email: string): Promise<User> {
  const user = await requireUser(knex, email);
  return knex.transaction(async (trx) => {
    await markVerified(trx, [user.id]);
    return requireUserById(trx, user.id);
  });
}

/** The checks that are made before a person counts as verified. */
export const CHECKS: readonly string[] = ['email', 'identity'];

/**
 * As `verifyUser`, for many ids at once, with the facts for subscribers. Returns the ids of those who were not
 * verified before.
 */
export async function markVerified(trx: Knex.Transaction, userIds: readonly number[]): Promise<number[]> {
  const ids = [...userIds];
  const changed = await User.query(trx)
    .whereRaw('id = any(?::bigint[])', [ids])
    .whereNot('verification_status', 'verified')
    .patch({
      verification_status: 'verified',
      verified_at: raw('coalesce(verified_at, now())'),
      email_verified_at: raw('coalesce(email_verified_at, now())'),
    })
    .returning(['id', 'verified_at']);
  await VerificationCheck.query(trx)
    .whereIn('user_id', ids)
    .whereNot('status', 'verified')
    .patch({
      status: 'verified',
      verified_at: raw('now()'),
    });
  // SQL: an import verifies any number of people at once, and a statement's bindings are bounded.
  await trx.raw(
    `insert into verification_checks (user_id, type, status, verified_at)
     select u, t, 'verified', now() from unnest(?::bigint[]) u cross join unnest(?::text[]) t
     on conflict do nothing`,
    [ids, [...CHECKS]],
  );
  await appendEvents(trx, changed.map(verifiedFact));
  return changed.map(({ id }) => id);
}

/** Nobody's team is named: the fact is for all teams that the person is in. */
function verifiedFact({ id, verified_at: at }: Pick<User, 'id' | 'verified_at'>): OutboxEvent {
  return {
    eventKey: `user-${id}-verified-${at}`,
    type: 'user.verified',
    teamId: null,
    userId: id,
    auctionId: null,
    lotId: null,
    data: { user_id: id },
  };
}

/** Undoes a suspension. Doing it twice changes nothing. */
export async function unsuspendUser(knex: Knex, email: string): Promise<User> {
  const user = await requireUser(knex, email);
  return User.query(knex).patchAndFetchById(user.id, {
    suspended_at: null,
    suspended_reason: null,
    suspended_leads: null,
  });
}

/** Why somebody is suspended, and what becomes of the bids with which they lead. */
export interface Suspension {
  readonly reason: string | null;
  readonly leads: User['suspended_leads'];
}

/**
 * Suspends a person: they still read, and do nothing else. Doing it twice changes nothing but what was chosen for their
 * leads.
 */
export async function suspendUser(
  knex: Knex,
  email: string,
  { reason, leads }: Suspension = { reason: null, leads: null },
): Promise<User> {
  const user = await requireUser(knex, email);
  await User.query(knex)
    .findById(user.id)
    .patch({
      suspended_at: raw('coalesce(suspended_at, now())'),
      suspended_reason: raw('coalesce(suspended_reason, ?::text)', [reason]),
      suspended_leads: raw('coalesce(?::text, suspended_leads)', [leads]),
    });
  return requireUserById(knex, user.id);
}
