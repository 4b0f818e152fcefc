/**
 * Reads a token's user, with everything that a request is checked against, in one query. The token cache calls it;
 * the sessions read the same by the user's id.
 */
import type { Knex } from 'knex';
import type { Ability, Principal } from '../../../adapters/http/endpoint.ts';
import { JUST_LEFT_SQL } from '../../shared/policy/relations.ts';
import type { TokenKind } from './token.model.ts';

interface PrincipalRow {
  readonly user_id: number;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
  readonly suspended: boolean;
  readonly verified: boolean;
  readonly confirmed: boolean;
  readonly session_generation: number;
  readonly locked_team_ids: number[];
  readonly current_team_id: number | null;
  readonly language: string | null;
  readonly team_ids: number[];
  readonly left_team_ids: number[];
  readonly token_id: number | null;
  readonly abilities: Ability[];
  readonly expires_at: string | null;
}

export interface FoundToken {
  readonly principal: Principal;
  readonly tokenId: number;
  /** Milliseconds since the epoch, or null: never. */
  readonly expiresAtMs: number | null;
}

const USER_COLUMNS = `
  u.id as user_id, u.email, u.name, u.is_admin, u.suspended_at is not null as suspended,
  u.verification_status = 'verified' as verified, u.email_confirmed_at is not null as confirmed,
  u.session_generation, u.current_team_id, u.language,
  array(select m.team_id from memberships m join teams t on t.id = m.team_id and t.require_two_factor
    where m.user_id = u.id and not exists
      (select from two_factors f where f.user_id = u.id and f.enabled_at is not null)
    and not exists (select from passkeys p where p.user_id = u.id)) as locked_team_ids,
  array(select m.team_id from memberships m where m.user_id = u.id order by m.team_id) as team_ids,
  array(select l.team_id from left_memberships l where l.user_id = u.id and ${JUST_LEFT_SQL}) as left_team_ids`;

/** The token with this hash, or null when it is unknown, revoked or expired, or of another kind. */
export async function readTokenPrincipal(
  knex: Knex,
  hash: string,
  kind: TokenKind = 'live',
): Promise<FoundToken | null> {
  // SQL: run for every token that the cache does not hold; one statement instead of five.
  const { rows } = await knex.raw<{ rows: PrincipalRow[] }>(
    `select ${USER_COLUMNS}, t.id as token_id, t.abilities, t.expires_at
     from tokens t join users u on u.id = t.user_id
     where t.token_hash = ? and t.kind = ? and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
    [hash, kind],
  );
  const row = rows[0];
  if (!row || row.token_id === null) return null;
  const expiresAtMs = row.expires_at === null ? null : Date.parse(row.expires_at);
  return { principal: principalOf(row, 'token'), tokenId: row.token_id, expiresAtMs };
}

export interface SessionUser {
  readonly principal: Principal;
  /** Sessions of an earlier generation have ended. */
  readonly generation: number;
}

/** The user as a browser session sees them, or null when there is no such user. No abilities: sessions have none. */
export async function readSessionUser(knex: Knex, userId: number): Promise<SessionUser | null> {
  // SQL: run twice a second for every session in use; the same columns as above.
  const { rows } = await knex.raw<{ rows: PrincipalRow[] }>(
    `select ${USER_COLUMNS}, null::bigint as token_id, '{}'::text[] as abilities from users u where u.id = ?`,
    [userId],
  );
  const [row] = rows;
  return row ? { principal: principalOf(row, 'session'), generation: row.session_generation } : null;
}

/** The `admin` ability holds only while its user is an admin. */
function principalOf(row: PrincipalRow, via: Principal['via']): Principal {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    abilities: new Set(row.abilities.filter((ability) => ability !== 'admin' || row.is_admin)),
    isAdmin: row.is_admin,
    suspended: row.suspended,
    verified: row.verified,
    confirmed: row.confirmed,
    teamIds: row.team_ids,
    leftTeamIds: row.left_team_ids,
    lockedTeamIds: row.locked_team_ids,
    via,
    tokenId: row.token_id,
    currentTeamId: row.current_team_id,
    language: row.language,
  };
}
