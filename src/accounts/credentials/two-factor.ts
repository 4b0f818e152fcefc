/**
 * The second factor: codes of an authenticator (RFC 6238, 160-bit secrets kept encrypted) and ten recovery codes,
 * kept as hashes. A code works once, on all processes together. Whoever counts guesses does so before asking here.
 */
import { createHash, randomInt } from 'node:crypto';
import type { Knex } from 'knex';
import { generateSecret, generateURI, verifySync } from 'otplib';
import { seal, unseal } from '../../shared/sealed.ts';

type Secrets = readonly [string, ...string[]];

interface FactorRow {
  readonly sealed_secret: string;
  readonly enabled_at: string | null;
  /** A bigint: text, as node-postgres has it, or a number where the driver is told so. */
  readonly last_step: string | number;
}

const STEP_S = 30;
const RECOVERY_CODES = 10;
/** No letters or digits that look alike. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RECOVERY_LENGTH = 16;

export interface TwoFactorStatus {
  readonly enabled: boolean;
  readonly recoveryCodesLeft: number;
}

export async function readTwoFactor(knex: Knex, userId: number): Promise<TwoFactorStatus> {
  const [row, codes] = await Promise.all([
    knex('two_factors').where('user_id', userId).whereNotNull('enabled_at').first('user_id'),
    knex('recovery_codes')
      .where('user_id', userId)
      .whereNull('used_at')
      .count<{ count: string }[]>('* as count'),
  ]);
  return { enabled: row !== undefined, recoveryCodesLeft: Number(codes[0]?.count ?? 0) };
}

/**
 * What an authenticator is told, as an address to draw as a QR code and as text. Begins anew each time, until it is
 * enabled.
 */
export async function prepareTwoFactor(
  knex: Knex,
  user: { readonly userId: number; readonly email: string },
  secrets: Secrets,
): Promise<{ readonly secret: string; readonly uri: string } | null> {
  const fresh = generateSecret();
  const { rows } = await knex.raw<{ rows: { sealed_secret: string }[] }>(
    `insert into two_factors (user_id, sealed_secret) values (?, ?)
     on conflict (user_id) do update set created_at = two_factors.created_at
       where two_factors.enabled_at is null returning sealed_secret`,
    [user.userId, seal(fresh, secrets)],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const secret = unseal(row.sealed_secret, secrets);
  return { secret, uri: generateURI({ issuer: 'Rostrum', label: user.email, secret }) };
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
    await trx('two_factors').where('user_id', userId).update({ enabled_at: trx.fn.now() });
    return writeRecoveryCodes(trx, userId);
  });
}

/** Takes the second factor away, with its recovery codes. */
export async function disableTwoFactor(trx: Knex, userId: number): Promise<void> {
  await trx('two_factors').where('user_id', userId).delete();
  await trx('recovery_codes').where('user_id', userId).delete();
}

/** Ten new recovery codes in the place of all there were. */
export async function writeRecoveryCodes(trx: Knex, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await trx('recovery_codes').where('user_id', userId).delete();
  await trx('recovery_codes').insert(codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) })));
  return codes;
}

/** Whether this is a code of the user's authenticator or one of their recovery codes; either works once. */
export async function checkSecondFactor(
  knex: Knex,
  userId: number,
  given: string,
  secrets: Secrets,
): Promise<boolean> {
  const code = given.toLowerCase().replaceAll(/[\s-]/g, '');
  if (/^[0-9]{6}$/.test(code)) {
    return knex.transaction((trx) => takeCode(trx, userId, code, secrets, true));
  }
  const used = await knex('recovery_codes')
    .where({ user_id: userId, code_hash: hashOf(code) })
    .whereNull('used_at')
    .update({ used_at: knex.fn.now() });
  return used === 1;
}

/** The row is held until the code's step is written down: of two requests with one code the second finds it used. */
async function takeCode(
  trx: Knex,
  userId: number,
  code: string,
  secrets: Secrets,
  enabled: boolean,
): Promise<boolean> {
  const row = await trx('two_factors').where('user_id', userId).forUpdate().first<FactorRow | undefined>();
  if (row === undefined || (row.enabled_at !== null) !== enabled || !/^[0-9]{6}$/.test(code)) return false;
  const result = verifySync({
    secret: unseal(row.sealed_secret, secrets),
    token: code,
    epochTolerance: STEP_S,
    ...(Number(row.last_step) === 0 ? {} : { afterTimeStep: Number(row.last_step) }),
  });
  if (!result.valid || !('timeStep' in result)) return false;
  await trx('two_factors').where('user_id', userId).update({ last_step: result.timeStep });
  return true;
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
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest('hex');
}
