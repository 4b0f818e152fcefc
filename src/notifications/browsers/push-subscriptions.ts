/** The browsers of a person that want to be told: adding one, listing and removing them, and waking them. */
import { ECDH } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { User } from '../../accounts/models/user.model.ts';
import { invalid } from '../../shared/refusal.ts';
import { PushSubscriptionRow } from './push.model.ts';

export interface PushSubscription {
  readonly id: number;
  readonly endpoint: string;
  readonly created_at: string;
}

/** As browsers give them, in base64url. */
export interface SubscriptionKeys {
  readonly p256dh: string;
  readonly auth: string;
}

const MAX_PER_PERSON = 20;

/**
 * Adds a browser; the same one again is the same row, whoever is signed in there now. Throws 422 for keys that are
 * none, and where the person has as many as they may.
 */
export async function addSubscription(
  knex: Knex,
  userId: number,
  { endpoint, keys }: { readonly endpoint: string; readonly keys: SubscriptionKeys },
): Promise<PushSubscription> {
  requireKeys(keys);
  return knex.transaction(async (trx) => {
    await User.query(trx).findById(userId).forUpdate();
    const own = await PushSubscriptionRow.query(trx).where('user_id', userId);
    const isNew = own.every((one) => one.endpoint !== endpoint);
    if (isNew && own.length >= MAX_PER_PERSON)
      throw invalid({ endpoint: [`A person has at most ${MAX_PER_PERSON} browsers: remove one first.`] });
    await PushSubscriptionRow.query(trx)
      .insert({ user_id: userId, endpoint, ...keys })
      .onConflict('endpoint')
      .merge(['user_id', 'p256dh', 'auth']);
    return shown(await PushSubscriptionRow.query(trx).findOne({ endpoint }).throwIfNotFound());
  });
}

/** A point of P-256 and sixteen bytes (RFC 8291). */
function requireKeys({ p256dh, auth }: SubscriptionKeys): void {
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  if (!isPoint(bytes(p256dh)))
    throw invalid({ 'keys.p256dh': ['The keys.p256dh field must be a public key of a browser.'] });
  if (bytes(auth).length !== 16)
    throw invalid({ 'keys.auth': ['The keys.auth field must be a secret of a browser.'] });
}

/** Whether it is a point of the curve, in the form that browsers send: nothing could be encrypted for another. */
function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

export async function listSubscriptions(knex: Knex, userId: number): Promise<PushSubscription[]> {
  return (await PushSubscriptionRow.query(knex).where('user_id', userId).orderBy('id')).map(shown);
}

function shown({ id, endpoint, created_at }: PushSubscriptionRow): PushSubscription {
  return { id, endpoint, created_at };
}

/** Whether there was one of theirs. */
export async function removeSubscription(knex: Knex, userId: number, id: number): Promise<boolean> {
  return (await PushSubscriptionRow.query(knex).where({ id, user_id: userId }).delete()) > 0;
}

/** Has the browsers of these people looked after, in the transaction that puts their notifications. */
export async function wakeBrowsers(trx: Knex, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await PushSubscriptionRow.query(trx)
    .whereRaw('user_id = ANY(?::bigint[])', [[...userIds]])
    .patch({ wakes_at: raw('now()') });
}
