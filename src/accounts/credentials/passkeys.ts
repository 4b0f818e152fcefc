/**
 * A person's passkeys: adding, using, naming and removing them. A passkey stays with its authenticator, which checks
 * that its owner is there (a finger, a face, a PIN), so that it signs in by itself and is a second factor after the
 * password. Pages bring what browsers say; `@simplewebauthn/server` verifies it, loaded when it is first needed.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { SchemaCompiler } from '../../../adapters/http/validate.ts';
import { ValidationErrors } from '../../../adapters/http/validation-errors.ts';
import { Passkey } from './credential.model.ts';
import type { PasskeyChallenges, PasskeyUse } from './passkey-challenges.ts';
import { dropIdleRecoveryCodes, hasTwoFactor, holdUser, writeRecoveryCodes } from './two-factor.ts';

export interface PasskeyParts {
  readonly knex: Knex;
  readonly challenges: PasskeyChallenges;
}

/** Where a browser says it is. `site`: the site's address, to whose name passkeys are bound. */
export interface PasskeyRequest extends PasskeyUse {
  readonly site: string;
  /** What the browser said, as JSON. */
  readonly response: string;
}

/** The most that one person has. */
const MAX_PASSKEYS = 20;
const TIMEOUT_MS = 300_000;

const library = () => import('@simplewebauthn/server');

const Base64 = Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 20_000 });
const credential = <T extends TSchema>(response: T) =>
  Type.Object({
    id: Base64,
    rawId: Base64,
    type: Type.Literal('public-key'),
    clientExtensionResults: Type.Object({}),
    response,
  });
const compiler = new SchemaCompiler();
const isRegistration = compiler.checkOf(
  credential(
    Type.Object({
      clientDataJSON: Base64,
      attestationObject: Base64,
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 30 }), { maxItems: 10 })),
    }),
  ),
  'response',
);
const isAssertion = compiler.checkOf(
  credential(
    Type.Object({
      clientDataJSON: Base64,
      authenticatorData: Base64,
      signature: Base64,
      userHandle: Type.Optional(Base64),
    }),
  ),
  'response',
);

/** Oldest first. */
export function listPasskeys(knex: Knex, userId: number): Promise<Passkey[]> {
  return Passkey.query(knex)
    .where('user_id', userId)
    .orderBy('id')
    .then((rows) => rows);
}

/** What a browser makes a passkey from. */
export async function registrationOptions(
  { knex, challenges }: PasskeyParts,
  use: PasskeyUse & { readonly userId: number },
  site: string,
  { siteName, email, name }: { readonly siteName: string; readonly email: string; readonly name: string },
): Promise<object> {
  const own = await listPasskeys(knex, use.userId);
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: siteName,
    rpID: new URL(site).hostname,
    userName: email,
    userDisplayName: name,
    userID: bytesOf(own[0]?.user_handle ?? challenges.handleOf(use.userId)),
    challenge: bytesOf(challenges.issue(use)),
    timeout: TIMEOUT_MS,
    excludeCredentials: own.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** What a browser finds a passkey by; without `allowed` it offers those that it has for the site. */
export function assertionOptions(
  challenges: PasskeyChallenges,
  use: PasskeyUse,
  site: string,
  allowed: readonly Pick<Passkey, 'credential_id' | 'transports'>[] = [],
): object {
  return {
    challenge: challenges.issue(use),
    rpId: new URL(site).hostname,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: allowed.map(({ credential_id: id, transports }) => ({
      ...{ id, transports },
      type: 'public-key',
    })),
  };
}

/** `recovery`: shown once, where it is the account's first second factor. */
export type AddedPasskey = 'not_verified' | 'too_many' | 'known' | { readonly recovery: string[] | null };

/** Keeps a passkey that a browser has just made for its user. */
export async function addPasskey(
  { knex, challenges }: PasskeyParts,
  { site, response: text, ...use }: PasskeyRequest & { readonly userId: number },
  name: string,
): Promise<AddedPasskey> {
  const response = parsed(text);
  if (!isRegistration(response, new ValidationErrors())) return 'not_verified';
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) => challenges.take(challenge, use),
    expectedOrigin: new URL(site).origin,
    expectedRPID: new URL(site).hostname,
    requireUserVerification: true,
  }).catch(notVerified);
  if (verified?.registrationInfo === undefined) return 'not_verified';
  const { credential: made, credentialBackedUp: synced } = verified.registrationInfo;
  return knex.transaction(async (trx): Promise<AddedPasskey> => {
    await holdUser(trx, use.userId);
    const own = await listPasskeys(trx, use.userId);
    if (own.length >= MAX_PASSKEYS) return 'too_many';
    const isFirst = !(await hasTwoFactor(trx, use.userId));
    const added = await Passkey.query(trx)
      .insert({
        user_id: use.userId,
        credential_id: made.id,
        public_key: Buffer.from(made.publicKey).toString('base64url'),
        user_handle: own[0]?.user_handle ?? challenges.handleOf(use.userId),
        counter: made.counter,
        transports: made.transports ?? [],
        name,
        synced,
      })
      .onConflict('credential_id')
      .ignore()
      .returning('id')
      .toKnexQuery();
    if (added.length === 0) return 'known';
    return { recovery: isFirst ? await writeRecoveryCodes(trx, use.userId) : null };
  });
}

/** Whose passkey has signed the challenge, and is there; null where nothing proves it. */
export async function checkPasskey(
  { knex, challenges }: PasskeyParts,
  { site, response: text, ...use }: PasskeyRequest,
): Promise<number | null> {
  const response = parsed(text);
  if (!isAssertion(response, new ValidationErrors())) return null;
  const row = await Passkey.query(knex).findOne({ credential_id: response.id });
  if (row === undefined || (use.userId !== null && row.user_id !== use.userId)) return null;
  const { userHandle } = response.response;
  if (userHandle !== undefined && userHandle !== row.user_handle) return null;
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => challenges.take(challenge, use),
    expectedOrigin: new URL(site).origin,
    expectedRPID: new URL(site).hostname,
    requireUserVerification: true,
    credential: {
      id: row.credential_id,
      publicKey: bytesOf(row.public_key),
      counter: row.counter,
      transports: row.transports,
    },
  }).catch(notVerified);
  if (verified?.verified !== true) return null;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  // A copy of it that is used at the same moment has the same count.
  const used = await Passkey.query(knex)
    .findById(row.id)
    .where('counter', row.counter)
    .patch({ counter: newCounter, synced: credentialBackedUp, last_used_at: raw('now()') });
  return used === 1 ? row.user_id : null;
}

/** False where they have no such passkey. */
export async function renamePasskey(knex: Knex, userId: number, id: number, name: string): Promise<boolean> {
  return (await Passkey.query(knex).findById(id).where('user_id', userId).patch({ name })) === 1;
}

/** Takes a passkey away, and the recovery codes with the last second factor. False where they have no such one. */
export async function removePasskey(trx: Knex.Transaction, userId: number, id: number): Promise<boolean> {
  await holdUser(trx, userId);
  const removed = await Passkey.query(trx).deleteById(id).where('user_id', userId);
  await dropIdleRecoveryCodes(trx, userId);
  return removed === 1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The library throws for whatever does not fit. */
function notVerified(): null {
  return null;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
