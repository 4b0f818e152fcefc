/**
 * Accounts whose address was never confirmed make room, with all that was set up in them, for who signs up with it
 * again and confirms. Whoever made them may have been anybody.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { conflictOf } from '../../../adapters/postgres/postgres-error.ts';
import { User } from '../models/user.model.ts';
import { insertUsers } from './accounts.ts';

export interface SignedUp {
  readonly name: string;
  readonly passwordHash: string;
}

/** Puts a confirmed account in the place of an unconfirmed one, and gives its id; null where that is confirmed. */
export async function replaceUnconfirmed(
  trx: Knex.Transaction,
  userId: number,
  { name, passwordHash }: SignedUp,
): Promise<number | null> {
  const old = await User.query(trx).findById(userId);
  if (old === undefined || !(await removeUnconfirmed(trx, userId))) return null;
  const [made] = await insertUsers(trx, [
    {
      email: old.email,
      name,
      password_hash: passwordHash,
      is_admin: false,
      email_confirmed_at: raw('now()'),
    },
  ]);
  return made?.id ?? null;
}

/** Takes an account away whose address was never confirmed; false where it was. */
export async function removeUnconfirmed(trx: Knex.Transaction, userId: number): Promise<boolean> {
  const old = await User.query(trx).findById(userId).forUpdate();
  if (old === undefined) return true;
  if (old.email_confirmed_at !== null) return false;
  await remove(trx, userId);
  return true;
}

/** What something else hangs on stays, as a name that nobody can sign in to. */
async function remove(trx: Knex.Transaction, userId: number): Promise<void> {
  // SQL: rows of other contexts, which an account that was never confirmed can have.
  await trx.raw('DELETE FROM watchlist WHERE user_id = ?', [userId]);
  try {
    await trx.transaction(async (inner) => {
      // SQL: everything that goes with a person goes by itself.
      await inner.raw('DELETE FROM teams WHERE personal_user_id = ?', [userId]);
      await User.query(inner).deleteById(userId);
    });
  } catch (error) {
    if (conflictOf(error) !== 'in_use') throw error;
    // SQL: the same of each table.
    for (const table of [
      'two_factors',
      'passkeys',
      'team_identities',
      'recovery_codes',
      'account_links',
      'tokens',
      'saved_searches',
    ])
      await trx.raw('DELETE FROM ?? WHERE user_id = ?', [table, userId]);
    await User.query(trx)
      .findById(userId)
      .patch({
        email: `account-${userId}@replaced.invalid`,
        name: `Account ${userId} (replaced)`,
        password_hash: null,
        session_generation: raw('session_generation + 1'),
      });
  }
}
