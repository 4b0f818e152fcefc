/**
 * Bearer tokens: making and revoking them. The plain token is returned once and stored nowhere; what is stored is its
 * SHA-256, which needs no salt because the token is 256 random bits.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { type RawBuilder, raw } from 'objection';
import { isOneOf } from '../../../engine/objects.ts';
import { InputError } from '../../shared/input-error.ts';
import { requireUser } from '../people/accounts.ts';
import { ABILITIES, Token, type TokenAbility, type TokenKind } from './token.model.ts';

export const TOKEN_PREFIX = 'rst_';
export const TEST_TOKEN_PREFIX = `${TOKEN_PREFIX}test_`;

export interface NewToken {
  /** Email address of the user. */
  readonly email: string;
  readonly abilities: readonly string[];
  readonly name?: string | undefined;
  /** Days until it stops working; without them it does not. */
  readonly expiresInDays?: number | undefined;
  /** Default `live`. */
  readonly kind?: TokenKind | undefined;
}

export interface CreatedToken {
  readonly id: number;
  /** The only time it is seen. */
  readonly token: string;
  readonly name: string;
  readonly abilities: readonly TokenAbility[];
  readonly expires_at: string | null;
}

export interface PlainToken {
  readonly token: string;
  /** Hex SHA-256. */
  readonly hash: string;
}

export function newPlainToken(kind: TokenKind = 'live'): PlainToken {
  const token = (kind === 'test' ? TEST_TOKEN_PREFIX : TOKEN_PREFIX) + randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** Hex SHA-256 of a token as a caller sent it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Somebody with more has lost sight of them. */
export const MAX_TOKENS = 100;
/** The longest that a token may be valid. */
export const MAX_DAYS = 3_650;

/**
 * Makes a token. Throws `InputError` for an unknown user, an unknown ability, a lifetime that is none, more tokens
 * than a user may have, and for `admin` where the user is no admin or the token is for tests.
 */
export async function createToken(knex: Knex, input: NewToken): Promise<CreatedToken> {
  const abilities = readAbilities(input.abilities);
  const name = (input.name ?? 'token').trim();
  if (name.length < 1 || name.length > 200) throw new InputError('name: must have 1 to 200 characters');
  const user = await requireUser(knex, input.email);
  if (abilities.includes('admin') && !user.is_admin) {
    throw new InputError(`ability: "admin" is only for admins, and ${user.email} is not one`);
  }
  const { kind = 'live' } = input;
  if (abilities.includes('admin') && kind === 'test') {
    throw new InputError('ability: "admin" is not for test tokens');
  }
  const days = input.expiresInDays ?? null;
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) {
    throw new InputError(`expires-in-days: must be a whole number from 1 to ${MAX_DAYS}`);
  }
  await refuseTooMany(knex, user.id);
  const plain = newPlainToken(kind);
  const row = await Token.query(knex)
    .insert({ user_id: user.id, name, token_hash: plain.hash, kind, abilities, expires_at: inDays(days) })
    .returning(['id', 'expires_at']);
  return { id: row.id, token: plain.token, name, abilities, expires_at: row.expires_at };
}

function inDays(days: number | null): RawBuilder | null {
  return days === null ? null : raw("now() + ? * interval '1 day'", days);
}

async function refuseTooMany(knex: Knex, userId: number): Promise<void> {
  const there = await Token.query(knex).where('user_id', userId).whereNull('revoked_at').resultSize();
  if (there >= MAX_TOKENS) throw new InputError(`tokens: revoke one first: there are already ${MAX_TOKENS}`);
}

/** The abilities without doubles, in the order of the list. Throws `InputError` for one that does not exist. */
function readAbilities(names: readonly string[]): TokenAbility[] {
  const unknown = names.find((ability) => !isOneOf(ABILITIES, ability));
  if (unknown !== undefined) {
    throw new InputError(`ability: "${unknown}" is not one of ${ABILITIES.join(', ')}`);
  }
  return ABILITIES.filter((ability) => names.includes(ability));
}

/** Revokes a token permanently; repeating it changes nothing. Throws `InputError` for an unknown id. */
export async function revokeToken(knex: Knex, tokenId: number): Promise<Token> {
  await Token.query(knex)
    .findById(tokenId)
    .whereNull('revoked_at')
    .patch({ revoked_at: raw('now()') });
  const token = await Token.query(knex).findById(tokenId);
  if (!token) throw new InputError(`id: there is no token ${tokenId}`);
  return token;
}
