/**
 * Writes the people, tokens and teams of an import file. Those that are there already are updated by what the file
 * says of them and keep the rest. Runs inside the import's transaction.
 */
import type { Knex } from 'knex';
import { endSessions } from '../../accounts/credentials/password-changes.ts';
import { insertUsers, markVerified, nameFromEmail } from '../../accounts/people/accounts.ts';
import { insertTeam, markApproved, setRole } from '../../accounts/teams/teams.ts';
import { newPlainToken } from '../../accounts/tokens/tokens.ts';
import { CHUNK, chunksOf } from './chunks.ts';
import type { ImportAnswer, ImportDocument, ImportedTeam, ImportedUser } from './import.schema.ts';
import { emailKey } from './known-rows.ts';

export interface LoadedPeople {
  /** Address → id, of everybody the file names. */
  readonly ids: Map<string, number>;
  readonly answer: ImportAnswer['users'];
  /** Those who were not verified before and are now. */
  readonly verifiedUserIds: number[];
}

/** Writes the people. `hashes`: address → password hash, for those who have a password in the file. */
export async function loadUsers(
  trx: Knex.Transaction,
  document: ImportDocument,
  ids: Map<string, number>,
  hashes: ReadonlyMap<string, string>,
): Promise<LoadedPeople> {
  const users = document.users ?? [];
  const fresh = users.filter((user) => !ids.has(emailKey(user.email)));
  for (const chunk of chunksOf(fresh, CHUNK)) {
    const rows = await insertUsers(
      trx,
      chunk.map((user) => ({
        email: emailKey(user.email),
        name: user.name?.trim() ?? nameFromEmail(emailKey(user.email)),
        password_hash: hashes.get(emailKey(user.email)) ?? null,
        is_admin: user.admin ?? false,
      })),
    );
    for (const row of rows) ids.set(row.email, row.id);
  }
  const isFresh = new Set(fresh);
  for (const user of users) await updateUser(trx, user, idOf(ids, user.email), isFresh.has(user), hashes);
  const verifiedUserIds = await loadVerification(trx, users, ids);
  const answer: ImportAnswer['users'] = {};
  for (const user of users) answer[emailKey(user.email)] = { id: idOf(ids, user.email), tokens: {} };
  await loadTokens(trx, users, answer);
  return { ids, answer, verifiedUserIds };
}

/** The id of a person that the checks have found. */
export function idOf(ids: ReadonlyMap<string, number>, email: string): number {
  const id = ids.get(emailKey(email));
  if (id === undefined) throw new Error(`there is no user with the address ${email}`);
  return id;
}

async function updateUser(
  trx: Knex.Transaction,
  user: ImportedUser,
  id: number,
  isFresh: boolean,
  hashes: ReadonlyMap<string, string>,
): Promise<void> {
  const columns = {
    phone: user.phone,
    timezone: user.timezone,
    ...(isFresh
      ? {}
      : { name: user.name?.trim(), is_admin: user.admin, password_hash: hashes.get(emailKey(user.email)) }),
  };
  if (Object.values(columns).some((value) => value !== undefined))
    await trx('users').where('id', id).update(columns);
  if (!isFresh && hashes.has(emailKey(user.email))) await endSessions(trx, [id]);
}

async function loadVerification(
  trx: Knex.Transaction,
  users: readonly ImportedUser[],
  ids: ReadonlyMap<string, number>,
): Promise<number[]> {
  const those = (verified: boolean) =>
    users.filter((user) => user.verified === verified).map((user) => idOf(ids, user.email));
  await trx('users')
    .whereRaw('id = any(?::bigint[])', [those(false)])
    .update({ verification_status: 'unverified', verified_at: null, email_verified_at: null });
  await trx('verification_checks')
    .whereRaw('user_id = any(?::bigint[])', [those(false)])
    .delete();
  return markVerified(trx, those(true));
}

/** A token of a name that is there already is not made again: nobody could be shown what it is. */
async function loadTokens(
  trx: Knex.Transaction,
  users: readonly ImportedUser[],
  answer: ImportAnswer['users'],
): Promise<void> {
  const withTokens = users.filter((user) => user.tokens?.length);
  if (withTokens.length === 0) return;
  const there: { user_id: number; name: string }[] = await trx('tokens')
    .whereRaw('user_id = any(?::bigint[])', [withTokens.map((user) => answer[emailKey(user.email)]?.id ?? 0)])
    .whereNull('revoked_at')
    .select('user_id', 'name');
  const names = new Set(there.map((token) => `${token.user_id} ${token.name}`));
  const rows: object[] = [];
  for (const user of withTokens) {
    const entry = answer[emailKey(user.email)];
    if (!entry) continue;
    for (const token of user.tokens ?? []) {
      const name = token.name.trim();
      if (names.has(`${entry.id} ${name}`)) continue;
      const plain = newPlainToken();
      entry.tokens[name] = plain.token;
      rows.push({
        user_id: entry.id,
        name,
        token_hash: plain.hash,
        abilities: [...new Set(token.abilities ?? [])],
      });
    }
  }
  for (const chunk of chunksOf(rows, CHUNK)) await trx('tokens').insert(chunk);
}

export interface LoadedTeams {
  /** Name → id, of every team that the file names. */
  readonly ids: Map<string, number>;
  readonly answer: ImportAnswer['teams'];
  /** Those that were not approved before and are now. */
  readonly approvedTeamIds: number[];
}

export async function loadTeams(
  trx: Knex.Transaction,
  document: ImportDocument,
  ids: Map<string, number>,
  userIds: ReadonlyMap<string, number>,
): Promise<LoadedTeams> {
  const answer: ImportAnswer['teams'] = {};
  const approvedTeamIds: number[] = [];
  for (const team of document.teams ?? []) {
    const name = team.name.trim();
    const id = await loadTeam(trx, team, ids.get(name), userIds);
    ids.set(name, id);
    answer[name] = id;
    if (await setApproval(trx, id, team.approved)) approvedTeamIds.push(id);
  }
  return { ids, answer, approvedTeamIds };
}

async function loadTeam(
  trx: Knex.Transaction,
  team: ImportedTeam,
  there: number | undefined,
  userIds: ReadonlyMap<string, number>,
): Promise<number> {
  let id = there;
  if (id === undefined) id = (await insertTeam(trx, team.name.trim(), idOf(userIds, team.owner ?? ''))).id;
  else if (team.owner !== undefined) await setRole(trx, id, idOf(userIds, team.owner), 'owner');
  for (const member of team.members ?? []) {
    await setRole(trx, id, idOf(userIds, member.email), member.role ?? 'member');
  }
  return id;
}

/** Whether the team is approved now and was not before. */
async function setApproval(
  trx: Knex.Transaction,
  teamId: number,
  approved: boolean | undefined,
): Promise<boolean> {
  if (approved === undefined) return false;
  if (approved) return markApproved(trx, teamId);
  await trx('teams').where('id', teamId).update({ approved_at: null });
  return false;
}
