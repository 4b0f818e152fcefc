/**
 * One-time links that are mailed to people: to confirm an address, to set a new password. The token is random, kept as
 * a hash, good once and for a while; a few may be requested in half an hour.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { User } from '../models/user.model.ts';
import { AccountLink, type LinkPurpose } from './credential.model.ts';

/** What tokens look like: 32 random bytes in base64url. */
export const LINK_TOKEN = '^[A-Za-z0-9_-]{43}$';

const TOKEN_BYTES = 32;
const GOOD_FOR: Readonly<Record<LinkPurpose, string>> = { confirm: '24 hours', reset: '30 minutes' };
/**
 * Nobody's mailbox is filled by somebody who knows their address. As long as no more are sent, the last one is good:
 * a stranger who requests links does not keep the owner from getting one.
 */
const MAX_LATELY = 3;
const LATELY = '30 minutes';

export interface IssuedLink {
  readonly id: number;
  readonly token: string;
}

/** Makes a link in the caller's transaction; null where the account has had enough of them lately. */
export async function issueLink(
  trx: Knex,
  userId: number,
  purpose: LinkPurpose,
  more: Partial<Pick<AccountLink, 'browser_hash' | 'password_hash' | 'name'>> = {},
): Promise<IssuedLink | null> {
  // One at a time: the count must hold for requests that come together.
  await User.query(trx).findById(userId).forUpdate();
  const lately = await AccountLink.query(trx)
    .where({ user_id: userId, purpose })
    .whereRaw('created_at > now() - ?::interval', [LATELY])
    .resultSize();
  if (lately >= MAX_LATELY) return null;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expires = raw('now() + ?::interval', GOOD_FOR[purpose]);
  const row = await AccountLink.query(trx).insert({
    user_id: userId,
    purpose,
    token_hash: hashOf(token),
    expires_at: expires,
    ...more,
  });
  return { id: row.id, token };
}

/** Whose link this is while it can still be used, or null. */
export async function findLink(knex: Knex, token: string, purpose: LinkPurpose): Promise<number | null> {
  return (await findGoodLink(knex, token, purpose))?.user_id ?? null;
}

/** The link with all that is kept with it, while it can still be used. */
export function findGoodLink(
  knex: Knex,
  token: string,
  purpose: LinkPurpose,
): Promise<AccountLink | undefined> {
  return AccountLink.query(knex)
    .findOne({ token_hash: hashOf(token), purpose })
    .whereNull('used_at')
    .whereRaw('expires_at > now()')
    .then((row) => row);
}

/** Uses a link up, with all others of its purpose that the account has. Null if it cannot be used, or no longer. */
export async function useLink(trx: Knex, token: string, purpose: LinkPurpose): Promise<number | null> {
  const userId = await findLink(trx, token, purpose);
  if (userId === null) return null;
  // One at a time: two links of an account that are used at once would wait for each other.
  await User.query(trx).findById(userId).forUpdate();
  const [row] = await AccountLink.query(trx)
    .patch({ used_at: raw('now()') })
    .where({ token_hash: hashOf(token), purpose })
    .whereNull('used_at')
    .whereRaw('expires_at > now()')
    .returning('user_id');
  if (row === undefined) return null;
  await AccountLink.query(trx)
    .patch({ used_at: raw('now()') })
    .where({ user_id: row.user_id, purpose })
    .whereNull('used_at');
  return row.user_id;
}

/** How a token, or what a browser keeps, is kept here. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
