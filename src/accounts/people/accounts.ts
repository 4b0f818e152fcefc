/**
 * Accounts: making, verifying and suspending people. The command line, sign-up and the import call these; each runs
 * in the transaction it is given and tells no other process by itself (`tokens/account-changes.ts` does).
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import { hashPassword, isPasswordLength } from './password.ts';
import { User, VerificationCheck } from './user.model.ts';

/** What HTML's e-mail field takes, with a dot in the domain or not. */
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
  if (email === null) throw new InputError(`email: "${input.email}" is not an e-mail address`);
  const name = (input.name ?? nameFromEmail(email)).trim();
  if (name.length < 1 || name.length > 200) throw new InputError('name: must have 1 to 200 characters');
  if (input.password !== undefined && !isPasswordLength(input.password)) {
    throw new InputError('password: must have 8 to 128 characters');
  }
  return { email, name };
}

export interface UserColumns extends Pick<User, 'email' | 'name' | 'password_hash' | 'is_admin'> {
  /** Null: the address is still to be confirmed. Without it, it counts as confirmed. */
  readonly email_confirmed_at?: Knex.Raw | null;
}

/** Inserts people and their personal teams. Those whose address is taken are left out of the answer. */
export async function insertUsers(trx: Knex, users: readonly UserColumns[]): Promise<User[]> {
  if (users.length === 0) return [];
  const rows: User[] = await trx('users')
    .insert([...users])
    .onConflict('email')
    .ignore()
    .returning('*');
  if (rows.length === 0) return [];
  const teams: { id: number; personal_user_id: number }[] = await trx('teams')
    .insert(rows.map((user) => ({ name: user.name, slug: `user-${user.id}`, personal_user_id: user.id })))
    .returning(['id', 'personal_user_id']);
  await trx('memberships').insert(
    teams.map((team) => ({ team_id: team.id, user_id: team.personal_user_id, role: 'owner' })),
  );
  await trx.raw(
    'update users set current_team_id = teams.id from teams where teams.personal_user_id = users.id and ' +
      'users.id = any(?)',
    [rows.map((user) => user.id)],
  );
  const teamOf = new Map(teams.map((team) => [team.personal_user_id, team.id]));
  return rows.map((user) => Object.assign(user, { current_team_id: teamOf.get(user.id) ?? null }));
}

/** The person with this address, or null. */
export async function findUser(knex: Knex, email: string): Promise<User | null> {
  return (await User.query(knex).findOne({ email: normalizeEmail(email) ?? '' })) ?? null;
}

/** As `findUser`; throws an `InputError` that names the argument when nobody has this address. */
export async function requireUser(knex: Knex, email: string, argument = 'email'): Promise<User> {
  const user = await findUser(knex, email);
  if (!user) throw new InputError(`${argument}: nobody has the address "${email}"`);
  return user;
}

/** Marks a person and all of their checks verified. Doing it twice changes nothing. */
export async function verifyUser(knex: Knex, email: string): Promise<User> {
  const user = await requireUser(knex, email);
  return knex.transaction(async (trx) => {
    await markVerified(trx, [user.id]);
    return (await User.query(trx).findById(user.id)) as User;
  });
}

/** What is looked at before a person counts as verified. */
export const CHECKS: readonly string[] = ['email', 'identity'];

/**
 * As `verifyUser`, for many ids at once, with the facts for subscribers. Returns the ids of those who were not
 * verified before.
 */
export async function markVerified(trx: Knex, userIds: readonly number[]): Promise<number[]> {
  const ids = [...userIds];
  const { rows } = await trx.raw<{ rows: { id: number; at: string }[] }>(
    `update users set verification_status = 'verified', verified_at = coalesce(verified_at, now()),
       email_verified_at = coalesce(email_verified_at, now())
     where id = any(?) and verification_status <> 'verified' returning id, now() as at`,
    [ids],
  );
  await VerificationCheck.query(trx)
    .whereIn('user_id', ids)
    .whereNot('status', 'verified')
    .patch({
      status: 'verified',
      verified_at: raw('now()'),
    });
  await trx.raw(
    `insert into verification_checks (user_id, type, status, verified_at)
     select u, t, 'verified', now() from unnest(?::bigint[]) u cross join unnest(?::text[]) t
     on conflict do nothing`,
    [ids, [...CHECKS]],
  );
  await appendEvents(trx, rows.map(verifiedFact));
  return rows.map((row) => row.id);
}

/** Nobody's team is named: the fact is for all teams that the person is in. */
function verifiedFact({ id, at }: { readonly id: number; readonly at: string }): OutboxEvent {
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
  await knex('users').where('id', user.id).update({ suspended_at: null });
  return (await User.query(knex).findById(user.id)) as User;
}

/** Suspends a person: they still read, and do nothing else. Doing it twice changes nothing. */
export async function suspendUser(knex: Knex, email: string): Promise<User> {
  const user = await requireUser(knex, email);
  await knex('users').where('id', user.id).whereNull('suspended_at').update({ suspended_at: knex.fn.now() });
  return (await User.query(knex).findById(user.id)) as User;
}
