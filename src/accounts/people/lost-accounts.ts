/**
 * Placeholders for accounts and teams of which only the ids are left: a restored Postgres is older than they are, and
 * the journal names them. Nobody can sign in to one; its owner must contact the operator.
 */
import type { Knex } from 'knex';
import { Team } from '../models/team.model.ts';
import { User } from '../models/user.model.ts';
import { insertUsers } from './accounts.ts';

/** Makes those that are not there. Gives their ids. */
export async function insertLostAccounts(trx: Knex, ids: readonly number[]): Promise<number[]> {
  const there = await User.query(trx)
    .findByIds([...ids])
    .select('id');
  const lost = without(ids, there);
  await insertUsers(
    trx,
    lost.map((id) => ({
      id,
      email: `account-${id}@lost.invalid`,
      name: `Account ${id} (lost)`,
      password_hash: null,
      is_admin: false,
      email_confirmed_at: null,
    })),
  );
  return lost;
}

/** As `insertLostAccounts`. A team that is made so has no members. */
export async function insertLostTeams(trx: Knex, ids: readonly number[]): Promise<number[]> {
  const there = await Team.query(trx)
    .findByIds([...ids])
    .select('id');
  const lost = without(ids, there);
  if (lost.length > 0)
    await Team.query(trx).insert(
      lost.map((id) => ({ id, name: `Team ${id} (lost)`, slug: `lost-team-${id}` })),
    );
  return lost;
}

function without(ids: readonly number[], there: readonly { readonly id: number }[]): number[] {
  const found = new Set(there.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => !found.has(id)).sort((a, b) => a - b);
}
