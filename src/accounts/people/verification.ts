/**
 * Whether a person is known to be who they say: the whole of it, and the checks it is made of. A person requests it,
 * staff decide (`markVerified`).
 */
import type { Knex } from 'knex';
import { type Page, raw } from 'objection';
import { inTransaction } from '../../shared/transactions.ts';
import { addressKnownAt, User, VerificationCheck, type VerificationStatus } from '../models/user.model.ts';
import { CHECKS, requireUser, requireUserById } from './accounts.ts';

/** Checks in these wait for the person's request. */
const REQUESTABLE: readonly VerificationStatus[] = ['unverified', 'rejected'];

export type PresentedCheck = Pick<VerificationCheck, 'type' | 'status' | 'verified_at'>;

export interface Verification {
  readonly status: VerificationStatus;
  readonly checks: readonly PresentedCheck[];
  readonly requirements_due: readonly string[];
  readonly verified_at: string | null;
}

/** How far a person's verification is. Every check is named, one that nobody has made as `unverified`. */
export async function readVerification(knex: Knex, userId: number): Promise<Verification> {
  const [user, rows] = await Promise.all([
    requireUserById(knex, userId),
    VerificationCheck.query(knex)
      .where('user_id', userId)
      .orderBy('id')
      .select('type', 'status', 'verified_at'),
  ]);
  const known = new Map(rows.map((row) => [row.type, row]));
  const missing = CHECKS.filter((type) => !known.has(type)).map((type): PresentedCheck => {
    const at = type === 'email' ? addressKnownAt(user) : null;
    return { type, status: at === null ? 'unverified' : 'verified', verified_at: at };
  });
  const checks = [...rows, ...missing].sort((a, b) => rankOf(a.type) - rankOf(b.type));
  return {
    status: user.verification_status,
    checks,
    requirements_due: checks.filter(({ status }) => REQUESTABLE.includes(status)).map(({ type }) => type),
    verified_at: user.verified_at,
  };
}

/** Requests verification: what is not verified yet becomes pending. Repeating it changes nothing. */
export async function requestVerification(knex: Knex, userId: number): Promise<Verification> {
  await knex.transaction(async (trx) => {
    const user = await requireUserById(trx, userId).forUpdate();
    if (user.verification_status === 'verified') return;
    await User.query(trx).findById(userId).patch({ verification_status: 'pending' });
    const waiting = CHECKS.filter((type) => type !== 'email' || addressKnownAt(user) === null);
    await VerificationCheck.query(trx)
      .insert(waiting.map((type) => ({ user_id: userId, type, status: 'pending' as const })))
      .onConflict(['user_id', 'type'])
      .ignore();
    await VerificationCheck.query(trx)
      .where('user_id', userId)
      .whereIn('status', [...REQUESTABLE])
      .patch({ status: 'pending' });
  });
  return readVerification(knex, userId);
}

/**
 * Says no to a person who waits for verification: what was pending is rejected, and they may request it again. Throws
 * an `InputError` when nobody has this address; somebody who does not wait is left as they are.
 */
export async function rejectVerification(knex: Knex, email: string): Promise<User> {
  const { id } = await requireUser(knex, email);
  return inTransaction(knex, async (trx) => {
    const waited = await User.query(trx)
      .where({ id, verification_status: 'pending' })
      .patch({ verification_status: 'rejected' });
    if (waited > 0)
      await VerificationCheck.query(trx)
        .where({ user_id: id, status: 'pending' })
        .patch({ status: 'rejected' });
    return requireUser(trx, email);
  });
}

/** Somebody who waits for verification, and since when. */
export type WaitingPerson = User & { readonly waits_since: string };

/** Who waits for staff, the longest first, and how many there are. */
export async function waitingPeople(
  knex: Knex,
  limit: number,
): Promise<{ rows: WaitingPerson[]; total: number }> {
  const since = VerificationCheck.query(knex)
    .whereColumn('verification_checks.user_id', 'users.id')
    .where('verification_checks.status', 'pending')
    .min('verification_checks.created_at');
  const { results, total } = await User.query(knex)
    .where('verification_status', 'pending')
    // SQL: who has no check of their own has waited since they have their account.
    .select('users.*', raw('coalesce((?), users.created_at)', since).as('waits_since'))
    .orderBy([{ column: 'waits_since' }, { column: 'users.id' }])
    .page(0, limit)
    .castTo<Page<WaitingPerson>>();
  return { rows: results, total };
}

function rankOf(type: string): number {
  const index = CHECKS.indexOf(type);
  return index < 0 ? CHECKS.length : index;
}
