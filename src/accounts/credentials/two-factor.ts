/**
 * The second factor: codes of an authenticator (RFC 6238, 160-bit secrets kept encrypted), passkeys
 * (`passkeys.ts`), and ten recovery codes for whoever has either, kept as hashes. A code works once, on all processes
 * together. Callers count guesses before they call this.
 */
import { createHash, randomInt } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { generateSecret, generateURI, verifySync } from 'otplib';
import { seal, unseal } from '../../shared/sealed.ts';
import { User } from '../models/user.model.ts';
import { Passkey, RecoveryCode, TwoFactor } from './credential.model.ts';

type Secrets = readonly [string, ...string[]];

const STEP_S = 30;
const SHORT_CODE = /^[0-9]{6}$/;
const RECOVERY_CODES = 10;
/** No letters or digits that look alike. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RECOVERY_LENGTH = 16;

export interface TwoFactorStatus {
  /** By an authenticator or a passkey. */
  readonly enabled: boolean;
  readonly authenticator: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
}

export async function readTwoFactor(knex: Knex, userId: number): Promise<TwoFactorStatus> {
  const [row, passkeys, recoveryCodesLeft] = await Promise.all([
    TwoFactor.query(knex).findById(userId).whereNotNull('enabled_at'),
    Passkey.query(knex).where('user_id', userId).resultSize(),
    RecoveryCode.query(knex).where('user_id', userId).whereNull('used_at').resultSize(),
  ]);
  const authenticator = row !== undefined;
  return { enabled: authenticator || passkeys > 0, authenticator, passkeys, recoveryCodesLeft };
}

/** Whether the user needs a second factor after the password. */
export async function hasTwoFactor(knex: Knex, userId: number): Promise<boolean> {
  // One after the other: it is asked in transactions, whose connection does one thing at a time.
  const row = await TwoFactor.query(knex).findById(userId).whereNotNull('enabled_at');
  return row !== undefined || (await Passkey.query(knex).findOne({ user_id: userId })) !== undefined;
}

/**
 * What an authenticator app is given, as an address to draw as a QR code and as text. Begins again each time, until it
 * is enabled.
 */
export async function prepareTwoFactor(
  knex: Knex,
  user: { readonly userId: number; readonly email: string },
  secrets: Secrets,
  issuer: string,
): Promise<{ readonly secret: string; readonly uri: string } | null> {
  const fresh = generateSecret();
  await TwoFactor.query(knex)
    .insert({ user_id: user.userId, sealed_secret: seal(fresh, secrets) })
    .onConflict('user_id')
    .ignore();
  const row = await TwoFactor.query(knex).findById(user.userId).whereNull('enabled_at');
  if (row === undefined) return null;
  const secret = unseal(row.sealed_secret, secrets);
  return { secret, uri: generateURI({ issuer, label: user.email, secret }) };
}

/**
 * Enables what was prepared, once a code proves that the authenticator has it. The recovery codes, shown this once;
 * null for a wrong code.
 */
export async function enableTwoFactor(
  knex: Knex,
  userId: number,
  code: string,
  secrets: Secrets,
): Promise<string[] | null> {
  return knex.transaction(async (trx) => {
    if (!(await takeCode(trx, userId, code, secrets, false))) return null;
    await TwoFactor.query(trx)
      .findById(userId)
      .patch({ enabled_at: raw('now()') });
    return writeRecoveryCodes(trx, userId);
  });
}

/** Takes the authenticator away, and the recovery codes where no passkey is left either. */
export async function disableTwoFactor(trx: Knex, userId: number): Promise<void> {
  await holdUser(trx, userId);
  await TwoFactor.query(trx).deleteById(userId);
  await dropIdleRecoveryCodes(trx, userId);
}

/** Takes the recovery codes of somebody away who has no second factor any more. */
export async function dropIdleRecoveryCodes(trx: Knex, userId: number): Promise<void> {
  if (!(await hasTwoFactor(trx, userId))) await RecoveryCode.query(trx).where('user_id', userId).delete();
}

/** Ten new recovery codes instead of all there were; null without a second factor. */
export async function renewRecoveryCodes(trx: Knex, userId: number): Promise<string[] | null> {
  // Those that are made at the same time replace each other's.
  await holdUser(trx, userId);
  return (await hasTwoFactor(trx, userId)) ? writeRecoveryCodes(trx, userId) : null;
}

/** One change of a person's factors at a time. */
export async function holdUser(trx: Knex, userId: number): Promise<void> {
  await User.query(trx).findById(userId).forUpdate().throwIfNotFound();
}

/** Ten new ones instead of all there were. */
export async function writeRecoveryCodes(trx: Knex, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await RecoveryCode.query(trx).where('user_id', userId).delete();
  await RecoveryCode.query(trx).insert(codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) })));
  return codes;
}

/** Whether it has the form of an authenticator's code, which can be guessed; a recovery code cannot. */
export function isShortCode(typed: string): boolean {
  return SHORT_CODE.test(plainCode(typed));
}

/** Whether this is a code of the user's authenticator or one of their recovery codes; either works once. */
export async function checkSecondFactor(
  knex: Knex,
  userId: number,
  typed: string,
  secrets: Secrets,
): Promise<boolean> {
  const code = plainCode(typed);
  if (SHORT_CODE.test(code)) {
    return knex.transaction((trx) => takeCode(trx, userId, code, secrets, true));
  }
  const used = await RecoveryCode.query(knex)
    .where({ user_id: userId, code_hash: hashOf(code) })
    .whereNull('used_at')
    .patch({ used_at: raw('now()') });
  return used === 1;
}

/** The row is held until the code's step is recorded: of two requests with one code the second finds it used. */
async function takeCode(
  trx: Knex,
  userId: number,
  code: string,
  secrets: Secrets,
  enabled: boolean,
): Promise<boolean> {
  const row = await TwoFactor.query(trx).findById(userId).forUpdate();
  if (row === undefined || (row.enabled_at !== null) !== enabled || !SHORT_CODE.test(code)) return false;
  const result = verifySync({
    secret: unseal(row.sealed_secret, secrets),
    token: code,
    epochTolerance: STEP_S,
    ...(row.last_step === 0 ? {} : { afterTimeStep: row.last_step }),
  });
  if (!result.valid || !('timeStep' in result)) return false;
  await TwoFactor.query(trx).findById(userId).patch({ last_step: result.timeStep });
  return true;
}

/** As it is compared, however it was typed. */
function plainCode(typed: string): string {
  return typed.toLowerCase().replaceAll(/[\s-]/g, '');
}

function newRecoveryCode(): string {
  const letters = Array.from(
    { length: RECOVERY_LENGTH },
    () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)],
  );
  return (letters.join('').match(/.{4}/g) ?? []).join('-');
}

/** 79 random bits need no salt and no slow hash. */
function hashOf(code: string): string {
  return createHash('sha256').update(plainCode(code)).digest('hex');
}
